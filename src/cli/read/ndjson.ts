import { shown } from "../../base/errors.js";
import type { EventInput } from "../../schema/event.js";
import { readLines, withoutReturn, type Line } from "./lines.js";
import { rowId } from "./row-id.js";
import type { Row } from "./row.js";

/** Reads one JSON object per line; blank lines are skipped. An event without an id gets one from set, line number and line. */
export async function* readNdjson(bytes: AsyncIterable<Uint8Array>, set: string): AsyncGenerator<readonly Row[]> {
  for await (const lines of readLines(bytes)) {
    const rows: Row[] = [];
    for (const line of lines) {
      const row = parseLine(line, set);
      if (row !== null) rows.push(row);
    }
    yield rows;
  }
}

function parseLine({ number, text, fault }: Line, set: string): Row | null {
  if (fault !== null) return { line: number, reason: fault };
  const json = withoutReturn(text);
  if (json.trim() === "") return null;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { line: number, reason: `expected a JSON object, got text that is not JSON: ${shown(json)}` };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { line: number, reason: `expected a JSON object, got ${shown(value)}` };
  }
  // Whether the object is an event is the engine's to say: it names the member that is wrong.
  const event = value as EventInput;
  return { line: number, event: event.id === undefined || event.id === null ? { ...event, id: rowId(set, number, json) } : event };
}
