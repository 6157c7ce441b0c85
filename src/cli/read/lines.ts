import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { FileFault, withoutAdded, rowId, type ImportRecord, type ImportRow } from "./row.js";
import { constants, createReadStream } from "node:fs";
import { access, stat } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { shown } from "../../core/base/errors.js";
import { parseJsonText, withIdsOfJson } from "../../core/base/json-text.js";
import type { EventInput } from "../../core/schema/event.js";
import type { RecordInput } from "../../core/schema/record.js";

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** Why the line is invalid (not UTF-8, a NUL byte, too long); null if it is valid. */
  readonly fault: string | null;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const [LINE_FEED, CARRIAGE_RETURN] = [10, 13];
const TOO_LONG = `longer than ${SERVER_LIMITS.importedLineBytes.toLocaleString("en-US")} bytes`;

/** Lines end with a line feed, and a `\r` before it stays; in a file without line feeds they end with carriage returns. One block per chunk. */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Line[]> {
  const { newline, chunks } = await detectNewline(source);
  let number = 1;
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks) {
    if (newline === CARRIAGE_RETURN && chunk.includes(LINE_FEED)) {
      throw new FileFault(`lines end with carriage returns up to line ${number}, then with line feeds; expected one kind`);
    }
    const end = chunk.lastIndexOf(newline);
    if (end === -1) {
      pendingBytes += chunk.length;
      // Only the length of an overlong line matters.
      pending = pendingBytes > SERVER_LIMITS.importedLineBytes ? [] : [...pending, chunk];
      continue;
    }
    const lines: Line[] = [];
    if (pendingBytes > SERVER_LIMITS.importedLineBytes) {
      const first = chunk.indexOf(newline);
      lines.push({ number, text: "", fault: TOO_LONG });
      number += 1;
      if (end > first) number = splitBlock(chunk.subarray(first + 1, end), newline, number, lines);
    } else {
      number = splitBlock(joined([...pending, chunk.subarray(0, end)]), newline, number, lines);
    }
    pending = [chunk.subarray(end + 1)];
    pendingBytes = chunk.length - end - 1;
    yield lines;
  }
  if (pendingBytes === 0) return;
  const lines: Line[] = [];
  if (pendingBytes > SERVER_LIMITS.importedLineBytes) lines.push({ number, text: "", fault: TOO_LONG });
  else splitBlock(joined(pending), newline, number, lines);
  yield lines;
}

async function detectNewline(source: AsyncIterable<Uint8Array>) {
  const { read, chunks } = await readAhead(source, (chunk, byteLength) => chunk.includes(LINE_FEED) || byteLength > SERVER_LIMITS.importedLineBytes);
  refuseUtf16(joined(read).subarray(0, 2));
  const hasFeed = read.at(-1)?.includes(LINE_FEED) === true;
  const newline = !hasFeed && read.some((chunk) => chunk.includes(CARRIAGE_RETURN)) ? CARRIAGE_RETURN : LINE_FEED;
  return { newline, chunks };
}

/** Reads chunks until one is enough; `chunks` are all of them. @param isEnough gets the last chunk, and the length read so far */
export async function readAhead<T extends string | Uint8Array>(source: AsyncIterable<T>, isEnough: (chunk: T, length: number) => boolean) {
  const rest = source[Symbol.asyncIterator]();
  const read: T[] = [];
  let length = 0;
  for (;;) {
    const next = await rest.next();
    if (next.done === true) break;
    read.push(next.value);
    length += next.value.length;
    if (isEnough(next.value, length)) break;
  }
  return { read, chunks: chained(read, { [Symbol.asyncIterator]: () => rest }) };
}

async function* chained<T>(read: readonly T[], rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield* read;
  yield* rest;
}

/** UTF-16 text that begins with an ASCII character has a NUL beside it. */
function refuseUtf16([first, second]: Uint8Array): void {
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isMarked || (second !== undefined && (first === 0) !== (second === 0))) throw new FileFault("expected UTF-8, got UTF-16");
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? (parts[0] ?? new Uint8Array()) : Buffer.concat(parts);
}

function splitBlock(block: Uint8Array, newline: number, firstNumber: number, lines: Line[]): number {
  let number = firstNumber;
  const text = block.includes(0) ? null : decoded(block);
  if (text === null) {
    for (let start = 0; start <= block.length; number += 1) {
      const found = block.indexOf(newline, start);
      const end = found === -1 ? block.length : found;
      lines.push(lineOf(number, decoded(block.subarray(start, end))));
      start = end + 1;
    }
    return number;
  }
  for (const part of text.split(String.fromCharCode(newline))) {
    lines.push(lineOf(number, part));
    number += 1;
  }
  return number;
}

function lineOf(number: number, text: string | null): Line {
  if (text === null) return { number, text: "", fault: "not valid UTF-8" };
  if (text.length > SERVER_LIMITS.importedLineBytes) return { number, text: "", fault: TOO_LONG };
  if (text.includes("\0")) return { number, text: "", fault: "contains a NUL byte" };
  return { number, text: number === 1 && text.startsWith("\ufeff") ? text.slice(1) : text, fault: null };
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

export function withoutReturn(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

/** Reads a file, or standard input for `-`. Gzip is recognized by its first two bytes, whatever the name. Errors name the path. */
export async function* readBytes(path: string): AsyncGenerator<Uint8Array> {
  const source: AsyncIterable<Uint8Array> = path === "-" ? process.stdin : createReadStream(path, { highWaterMark: 256 * 1024 });
  try {
    yield* decompressed(source);
  } catch (error) {
    throw readError(path, error);
  }
}

/** Checks that a file can be read, without opening it: a pipe can be opened only once. @throws what `readBytes` throws */
export async function checkReadable(path: string): Promise<void> {
  if (path === "-") return;
  try {
    await access(path, constants.R_OK);
    if ((await stat(path)).isDirectory()) throw Object.assign(new Error("is a directory"), { code: "EISDIR" });
  } catch (error) {
    throw readError(path, error);
  }
}

function readError(path: string, cause: unknown): Error {
  const name = path === "-" ? "standard input" : path;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "ENOENT") return new Error(`${name}: no such file`, { cause });
  if (code === "EISDIR") return new Error(`${name}: is a directory, expected a file`, { cause });
  return new Error(`${name}: ${reason}`, { cause });
}

async function* decompressed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { read, chunks } = await readAhead(source, (_, byteLength) => byteLength >= 2);
  const [first, second] = joined(read);
  if (first !== 0x1f || second !== 0x8b) return yield* chunks;
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  // An error of the source destroys `gunzip`, and its reader throws the error.
  pipeline(Readable.from(chunks), gunzip, () => undefined);
  yield* gunzip as AsyncIterable<Uint8Array>;
}

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
  // The engine checks the object, and names the invalid member.
  if (Object.hasOwn(value, "type")) return { line: number, record: withId(withIdsOfJson(value as RecordInput)) };
  const event = withoutAdded(withIdsOfJson(value as EventInput));
  return { line: number, event: event.id === undefined || event.id === null ? { ...event, id: rowId(set, number, json) } : event };

  function withId(record: RecordInput): RecordInput {
    const hasId = record.type === "identify" || record.type === "group" || record.type === "alias";
    return hasId && (record.id === undefined || record.id === null) ? { ...record, id: rowId(set, number, json) } : record;
  }
}
