import { listOf } from "../../formats/arrow/answer-list.js";
import type { Table } from "../../formats/arrow/answer-table.js";
import { DaybookError, parameterError, shown } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { yieldToEventLoop } from "../../core/base/yield.js";
import type { EventInput } from "../../core/schema/event.js";

/**
 * Converts an answer that is a list, or has one, to an Arrow table: one column per member of its items, numbers as doubles, instants as timestamps of
 * UTC milliseconds, nested values as JSON text, null as unset. Values beside the list, such as a cursor, go to the schema's metadata. An empty list
 * has no columns. Loads apache-arrow.
 * @throws invalid_parameter (the answer is not a list)
 */
export async function toArrow(answer: unknown): Promise<Table> {
  const list = listOf(answer);
  if (list === null) throw parameterError("invalid_parameter", "answer", `expected an answer that is a list, got ${shown(answer)}`);
  const { answerTable } = await import("../../formats/arrow/answer-table.js");
  return answerTable(list);
}

export function isListAnswer(answer: unknown): boolean {
  return listOf(answer) !== null;
}

/** The same as an Arrow IPC stream; null if the answer is not a list. */
export async function arrowStreamOf(answer: unknown): Promise<Uint8Array | null> {
  const list = listOf(answer);
  if (list === null) return null;
  const { answerStream } = await import("../../formats/arrow/answer-table.js");
  return answerStream(list);
}

/** Yields as often as JSON parsing of that size. @param maxByteLength as JSON, by estimate @throws invalid_parameter, body_too_large */
export async function eventsOfArrow(bytes: Uint8Array, maxByteLength: number, rowCountMax: number): Promise<EventInput[]> {
  const { eventsFromIpc, ValueRoom } = await import("../../formats/arrow/events-from-ipc.js");
  const room = new ValueRoom(maxByteLength);
  const events: EventInput[] = [];
  let pauseAt = LIMITS.parsedBytesPerTurn;
  for (const event of eventsFromIpc(bytes, room)) {
    if (events.length === rowCountMax) throw new DaybookError("body_too_large", `expected a body of at most ${rowCountMax} items, got more: split it into several requests`);
    events.push(event);
    if (room.byteLength < pauseAt) continue;
    await yieldToEventLoop();
    pauseAt = room.byteLength + LIMITS.parsedBytesPerTurn;
  }
  return events;
}
