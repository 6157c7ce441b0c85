import { DaybookError } from "../core/base/errors.js";
import { sha256, toHex } from "../core/base/hash.js";
import { parseTokens, type TokenOptions, type TokenRecord } from "../http/index.js";

/** Serializes tokens as JSON, each record with the first half of its SHA-256. */
export function checkedText(records: readonly TokenRecord[]): string {
  return `${JSON.stringify(records.map((record) => ({ ...record, check: checkOf(record) })), null, 2)}\n`;
}

/**
 * Parses the output of `checkedText`. The checksum detects damage that would turn one right into another.
 * Records written by hand or by older versions have no checksum.
 * @throws corruption, malformed_json, invalid_parameter
 */
export function readCheckedTokens(text: string, options: TokenOptions = {}): TokenRecord[] {
  const entries = parseOrNull(text);
  if (!Array.isArray(entries)) return parseTokens(text, options);
  const records = entries.map((entry: unknown, index) => {
    if (typeof entry !== "object" || entry === null || !("check" in entry)) return entry;
    const { check, ...record } = entry;
    if (check !== checkOf(record)) throw new DaybookError("corruption", `the checksum of token ${index + 1} is wrong`);
    return record;
  });
  return parseTokens(JSON.stringify(records), options);
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // `parseTokens` throws a better error.
    return null;
  }
}

function checkOf(record: object): string {
  return toHex(sha256(new TextEncoder().encode(JSON.stringify(record)))).slice(0, 32);
}
