import { DaybookError } from "../../core/base/errors.js";
import { parseJsonText } from "../../core/base/json-text.js";
import { LIMITS } from "../../core/base/limits.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { scanJson, tooLongItem, tooManyItems, tooMuchBeside, type Items, type JsonScan } from "./json-scan.js";

/** Within a body a byte order mark is text, so only the start of a body is decoded without it. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const startDecoder = new TextDecoder("utf-8", { fatal: true });
const [NEWLINE, CARRIAGE_RETURN, SPACE, COMMA, OPENING_BRACKET, CLOSING_BRACKET, DELETE] = [0x0a, 0x0d, 0x20, 0x2c, 0x5b, 0x5d, 0x7f];

/** Resolves when that many more bytes may be parsed. */
export type Pace = (byteLength: number) => Promise<void>;

/** Parses bytes as JSON. @throws malformed_json (not UTF-8, nested too deep, not JSON), body_too_large */
export function parseJson(bytes: Uint8Array): unknown {
  return parseText(decoded(bytes, true), "", scanJson(bytes, SERVER_LIMITS.bodyItemCount).hasLongNumber);
}

/** Like `parseJson`, for scanned bytes: parses the items of long lists in chunks and yields between them. */
export async function parseScanned(bytes: Uint8Array, { hasLongNumber, longLists, byteLengthBeside, isWhole }: JsonScan, pace: Pace): Promise<unknown> {
  if (byteLengthBeside > SERVER_LIMITS.bodyItemBytes) {
    if (!isWhole) throw new DaybookError("malformed_json", "expected JSON: the text is incomplete");
    throw tooMuchBeside(byteLengthBeside);
  }
  if (longLists.length === 0) return parseText(decoded(bytes, true), "", hasLongNumber);
  // Stands for a list that is parsed separately; random, so that no body can contain it.
  const placeholder = globalThis.crypto.randomUUID();
  const lists: unknown[][] = [];
  let rest = "";
  let restFrom = 0;
  const segments: TextBetween[] = [];
  const segment = (to: number) => {
    const text = decoded(bytes.subarray(restFrom, to), restFrom === 0);
    segments.push({ from: rest.length, to: rest.length + text.length, byteFrom: restFrom });
    rest += text;
  };
  for (const list of longLists) {
    const [{ from: listFrom }, { to: listTo }] = [list[0], list.at(-1)] as [Items, Items];
    segment(listFrom);
    rest += `"${placeholder}${lists.length}"`;
    restFrom = listTo;
    const values: unknown[] = [];
    for (const { from, to, count } of list) {
      await pace(to - from);
      // The text starts one byte before the items, where a bracket replaces the comma.
      const positionOf = (at: number) => charsBefore(bytes, from - 1) + at;
      const items = parseText(listText(bytes, from, to), ` in the items from index ${values.length} on`, hasLongNumber, positionOf) as unknown[];
      if (items.length !== count) throw new DaybookError("malformed_json", `expected JSON: item ${values.length} is empty`);
      for (const value of items) values.push(value);
    }
    lists.push(values);
  }
  segment(bytes.length);
  const value = parseText(rest, "", hasLongNumber, (at) => positionIn(bytes, segments, at));
  const listAt = (member: unknown) => {
    const text: unknown = Array.isArray(member) ? member[0] : undefined;
    return typeof text === "string" && text.startsWith(placeholder) ? lists[Number(text.slice(placeholder.length))] : undefined;
  };
  const whole = listAt(value);
  if (whole !== undefined) return whole;
  for (const [name, member] of Object.entries(value as object)) {
    const list = listAt(member);
    // Assigning to the name `__proto__` would set the prototype.
    if (list !== undefined) Object.defineProperty(value, name, { value: list, writable: true, enumerable: true, configurable: true });
  }
  return value;
}

/** Text between lists: its range in the remaining text, and its start in the body. */
interface TextBetween {
  readonly from: number;
  readonly to: number;
  readonly byteFrom: number;
}

/** Position in the body of a character of the remaining text; a placeholder counts as the start of its list. */
function positionIn(bytes: Uint8Array, segments: readonly TextBetween[], at: number): number {
  const { from, to, byteFrom } = segments.findLast((segment) => segment.from <= at) as TextBetween;
  return charsBefore(bytes, byteFrom) + Math.min(at, to) - from;
}

/** Number of UTF-16 characters before an offset, without a byte order mark. Cost: reads each byte, so only errors use it. */
function charsBefore(bytes: Uint8Array, end: number): number {
  let count = 0;
  for (let at = hasMark(bytes) ? MARK_BYTES : 0; at < end; at += 1) {
    const byte = bytes[at] as number;
    // A sequence of four bytes is two characters; a continuation byte is none.
    if ((byte & 0xc0) !== 0x80) count += byte >= 0xf0 ? 2 : 1;
  }
  return count;
}

const MARK_BYTES = 3;

function hasMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** Counts the lines of a body as they arrive, to refuse too many or too long ones early. */
export class LineCount {
  #lineAt = 0;
  #count = 0;

  constructor(readonly countMax: number) {}

  /** @param arrived the body so far @throws body_too_large */
  count(arrived: Uint8Array): void {
    for (let at = arrived.indexOf(NEWLINE, this.#lineAt); at !== -1; at = arrived.indexOf(NEWLINE, this.#lineAt)) {
      const first = arrived[this.#lineAt] as number;
      // Other lines may be blank, which only the parser decides.
      if (first > SPACE && first < DELETE) this.#count += 1;
      if (this.#count > this.countMax) throw tooManyItems(this.countMax);
      this.#lineAt = at + 1;
    }
    if (arrived.length - this.#lineAt > SERVER_LIMITS.bodyItemBytes) throw tooLongItem();
  }
}

/** Parses one JSON value per line; blank lines are skipped. @throws malformed_json (names the line), body_too_large */
export async function parseNdjson(bytes: Uint8Array, { hasLongNumber }: JsonScan, itemCountMax: number, pace: Pace): Promise<unknown[]> {
  const values: unknown[] = [];
  let yieldedAt = 0;
  for (let from = 0, line = 1; from < bytes.length; line += 1) {
    const end = bytes.indexOf(NEWLINE, from);
    const to = end === -1 ? bytes.length : end;
    if (to - from > SERVER_LIMITS.bodyItemBytes) throw tooLongItem();
    if (to - yieldedAt > LIMITS.parsedBytesPerTurn) {
      await pace(to - yieldedAt);
      yieldedAt = to;
    }
    const isEmpty = to - from < 2 && (to === from || bytes[from] === CARRIAGE_RETURN);
    const text = isEmpty ? "" : decoded(bytes.subarray(from, to), from === 0);
    if (text.trim() !== "") {
      if (values.length === itemCountMax) throw tooManyItems(itemCountMax);
      values.push(parseText(text, ` in line ${line}`, hasLongNumber));
    }
    from = to + 1;
  }
  return values;
}

/** Decodes items as a list: brackets temporarily replace the commas around them. The bracket that ends the whole list stays. */
function listText(bytes: Uint8Array, from: number, to: number): string {
  const [before, after] = [bytes[from - 1] as number, bytes[to] as number];
  bytes[from - 1] = OPENING_BRACKET;
  if (after === COMMA) bytes[to] = CLOSING_BRACKET;
  try {
    return decoded(bytes.subarray(from - 1, to + 1), false);
  } finally {
    bytes[from - 1] = before;
    bytes[to] = after;
  }
}

/** Decodes UTF-8. @param isStart whether `bytes` begins the body */
function decoded(bytes: Uint8Array, isStart: boolean): string {
  try {
    return (isStart ? startDecoder : decoder).decode(bytes);
  } catch {
    throw new DaybookError("malformed_json", "expected UTF-8 text, but the body has invalid bytes");
  }
}

/** Parses a text. @param positionOf converts a position in a chunk to one in the body; absent: the text is the body */
function parseText(text: string, where: string, hasLongNumber: boolean, positionOf?: (at: number) => number): unknown {
  try {
    return parseJsonText(text, hasLongNumber);
  } catch (error) {
    const message = error instanceof Error ? error.message : "unreadable";
    throw new DaybookError("malformed_json", `expected JSON${where}: ${positionOf === undefined ? message : inBody(message, positionOf)}`);
  }
}

/** Adapts a parser's message about a chunk to the body: removes line numbers and quoted text, which differ from what was sent. */
function inBody(message: string, positionOf: (at: number) => number): string {
  const bare = message.replace(/, (?:\.\.\.)?"[^]*"(?:\.\.\.)? is not valid JSON$/, "");
  return bare.replace(/ at position (\d+)(?: \(line \d+ column \d+\))?/, (_, at: string) => ` at position ${positionOf(Number(at))}`);
}
