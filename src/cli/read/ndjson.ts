import { shown } from "../../core/base/errors.js";
import { parseJsonText } from "../../core/base/json-text.js";
import { withIdsOfJson } from "../../core/base/numeric-id.js";
import type { EventInput } from "../../core/schema/event.js";
import type { RecordInput } from "../../core/schema/record.js";
import { withoutIdentityId } from "./identity-id.js";
import { readLines, withoutReturn, type Line } from "./lines.js";
import { rowId } from "./row-id.js";
import type { ImportRecord, ImportRow } from "./row.js";

/**
 * Reads one JSON object per line, skipping blank lines. An object with a `type` is an identity record, any other an event.
 * Either gets an id from set, line number and line where it has none.
 */
export async function* readNdjson(bytes: AsyncIterable<Uint8Array>, set: string): AsyncGenerator<readonly (ImportRow | ImportRecord)[]> {
  for await (const lines of readLines(bytes)) {
    const rows: (ImportRow | ImportRecord)[] = [];
    for (const line of lines) {
      const row = parseLine(line, set);
      if (row !== null) rows.push(row);
    }
    yield rows;
  }
}

function parseLine({ number, text, fault }: Line, set: string): ImportRow | ImportRecord | null {
  if (fault !== null) return { line: number, reason: fault };
  const json = withoutReturn(text);
  if (json.trim() === "") return null;
  let value: unknown;
  try {
    value = parseJsonText(json);
  } catch {
    return { line: number, reason: `expected a JSON object, got text that is not JSON: ${shown(json)}` };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { line: number, reason: `expected a JSON object, got ${shown(value)}` };
  }
  // The engine checks the object: it names the member that is wrong.
  if (Object.hasOwn(value, "type")) return { line: number, record: withId(withIdsOfJson(value as RecordInput)) };
  const event = withoutIdentityId(withIdsOfJson(value as EventInput));
  return { line: number, event: event.id === undefined || event.id === null ? { ...event, id: rowId(set, number, json) } : event };

  function withId(record: RecordInput): RecordInput {
    const hasId = record.type === "identify" || record.type === "group" || record.type === "alias";
    return hasId && (record.id === undefined || record.id === null) ? { ...record, id: rowId(set, number, json) } : record;
  }
}
