import { DaybookError } from "../../base/errors.js";
import { LONG_DIGITS, parseJsonText } from "../../base/json-text.js";

/** Levels of nesting a body may have: a real question has five, and a parser's stack must not be the caller's to fill. */
export const JSON_DEPTH = 64;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Bytes as JSON. @throws malformed_json (not UTF-8, nested too deep, not JSON) */
export function parseJson(bytes: Uint8Array): unknown {
  const hasLongNumber = checkDepth(bytes);
  return parseText(decode(bytes), "", hasLongNumber);
}

/** One JSON value per line; blank lines do not count. @throws malformed_json, naming the line */
export function parseNdjson(bytes: Uint8Array): unknown[] {
  const hasLongNumber = checkDepth(bytes);
  const values: unknown[] = [];
  decode(bytes)
    .split("\n")
    .forEach((line, index) => {
      if (line.trim() !== "") values.push(parseText(line, ` in line ${index + 1}`, hasLongNumber));
    });
  return values;
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new DaybookError("malformed_json", "expected UTF-8 text, the body has other bytes");
  }
}

function parseText(text: string, where: string, hasLongNumber: boolean): unknown {
  try {
    return parseJsonText(text, hasLongNumber);
  } catch (error) {
    throw new DaybookError("malformed_json", `expected JSON${where}: ${error instanceof Error ? error.message : "unreadable"}`);
  }
}

/** Brackets and digits are ASCII, so UTF-8 bytes can be scanned before they are decoded. @returns whether an integer has `LONG_DIGITS` */
function checkDepth(bytes: Uint8Array): boolean {
  let depth = 0;
  let digitCount = 0;
  let hasLongNumber = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === 0x22) at = endOfString(bytes, at);
    else if (byte >= 0x30 && byte <= 0x39) {
      digitCount += 1;
      if (digitCount === LONG_DIGITS) hasLongNumber = true;
    } else {
      digitCount = byte === 0x2e ? FRACTION : 0;
      if (byte === 0x7b || byte === 0x5b) {
        depth += 1;
        if (depth > JSON_DEPTH) throw new DaybookError("malformed_json", `expected at most ${JSON_DEPTH} levels of nesting`);
      } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    }
  }
  return hasLongNumber;
}

/** Where the quote is that ends a string, or else the end of the bytes. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== 0x22) at += bytes[at] === 0x5c ? 2 : 1;
  return at;
}

/** Digits of a fraction count for nothing: no body has more bytes. A small integer, as the loop is slower with a double. */
const FRACTION = -(2 ** 30);
