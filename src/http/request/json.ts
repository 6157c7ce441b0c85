import { DaybookError } from "../../base/errors.js";

/** Levels of nesting a body may have: a real question has five, and a parser's stack must not be the caller's to fill. */
export const JSON_DEPTH = 64;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Bytes as JSON. @throws malformed_json (not UTF-8, nested too deep, not JSON) */
export function parseJson(bytes: Uint8Array): unknown {
  checkDepth(bytes);
  return parseText(decode(bytes), "");
}

/** One JSON value per line; blank lines do not count. @throws malformed_json, naming the line */
export function parseNdjson(bytes: Uint8Array): unknown[] {
  checkDepth(bytes);
  const values: unknown[] = [];
  decode(bytes)
    .split("\n")
    .forEach((line, index) => {
      if (line.trim() !== "") values.push(parseText(line, ` in line ${index + 1}`));
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

function parseText(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DaybookError("malformed_json", `expected JSON${where}: ${error instanceof Error ? error.message : "unreadable"}`);
  }
}

/** Brackets are ASCII, so UTF-8 bytes can be scanned before they are decoded. */
function checkDepth(bytes: Uint8Array): void {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (inString) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > JSON_DEPTH) throw new DaybookError("malformed_json", `expected at most ${JSON_DEPTH} levels of nesting`);
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
}
