import { assert, parameterError, shown } from "../../core/base/errors.js";
import { areSameBytes, decodeBase64Url, encodeBase64Url, isSameMac } from "../../core/base/bytes.js";
import { hash128, hmacSha256, toHex } from "../../core/base/hash.js";
import { LIMITS } from "../../core/base/limits.js";
import { parseUuid, uuidText } from "../../core/base/uuid.js";
import { memberError, type InputMembers } from "./members.js";
import type { CursorPosition } from "./plan.js";

/**
 * Format: version (1 byte), endpoint (1 byte), createdAt (f64), event id (16 bytes), sequence (u32), hash of the query's fingerprint (16 bytes), the
 * first 16 bytes of the HMAC over all else, and the event's project (UTF-8). Numbers are big-endian. All but the HMAC is masked.
 */
const VERSION = 4;
/** A cursor is valid for one endpoint only. */
const ENDPOINTS = { searchEvents: 1, identitySessions: 2 } as const;
export type PagedReport = keyof typeof ENDPOINTS;

const ID_AT = 10;
const SEQUENCE_AT = 26;
const FINGERPRINT_AT = 30;
const MAC_AT = 46;
const PROJECT_AT = 62;
/** Longer texts are no cursors. */
const TEXT_LENGTH_MAX = Math.ceil(((PROJECT_AT + LIMITS.fieldTextBytes) * 4) / 3);

const [encoder, decoder] = [new TextEncoder(), new TextDecoder("utf-8", { ignoreBOM: true })];

/** Encodes a position in the results of a query as opaque text, sealed with the store's 32-byte key. */
export function encodeCursor(report: PagedReport, position: CursorPosition, fingerprint: string, key: Uint8Array): string {
  const id = parseUuid(position.id);
  assert(id !== null, "an event id is a UUID");
  const project = encoder.encode(position.project);
  const bytes = new Uint8Array(PROJECT_AT + project.length);
  const view = new DataView(bytes.buffer);
  bytes[0] = VERSION;
  bytes[1] = ENDPOINTS[report];
  view.setFloat64(2, position.createdAtMs);
  bytes.set(id, ID_AT);
  view.setUint32(SEQUENCE_AT, position.sequence);
  bytes.set(hash128("fingerprint", fingerprint), FINGERPRINT_AT);
  bytes.set(project, PROJECT_AT);
  bytes.set(macOf(bytes, key), MAC_AT);
  mask(bytes, key);
  return encodeBase64Url(bytes);
}

/** Decodes what `encodeCursor` sealed. @throws invalid_cursor (altered, of another store or endpoint), cursor_mismatch (of another query) */
export function decodeCursor(report: PagedReport, text: string, fingerprint: string, key: Uint8Array): CursorPosition {
  const bytes = text.length <= TEXT_LENGTH_MAX ? decodeBase64Url(text) : null;
  if (bytes !== null && bytes.length >= PROJECT_AT) mask(bytes, key);
  const sealed = bytes !== null && bytes.length >= PROJECT_AT && isSameMac(bytes.subarray(MAC_AT, PROJECT_AT), macOf(bytes, key));
  if (!sealed || bytes[0] !== VERSION || bytes[1] !== ENDPOINTS[report]) {
    const reason = "expected a cursor from an earlier page of this query, got another text";
    throw parameterError("invalid_cursor", "cursor", reason);
  }
  if (!areSameBytes(bytes.subarray(FINGERPRINT_AT, MAC_AT), hash128("fingerprint", fingerprint))) {
    const reason = "expected the query parameters of the page that returned it, got others (only limit and, in searchEvents, allFields may change)";
    throw parameterError("cursor_mismatch", "cursor", reason);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const project = decoder.decode(bytes.subarray(PROJECT_AT));
  return { createdAtMs: view.getFloat64(2), id: uuidText(bytes, ID_AT), project, sequence: view.getUint32(SEQUENCE_AT) };
}

/** The position in the member `cursor`; null when absent. @throws invalid_parameter (no text), invalid_cursor, cursor_mismatch */
export function readCursor(report: PagedReport, members: InputMembers, fingerprint: string, key: Uint8Array): CursorPosition | null {
  const text = members.values.get("cursor");
  if (text === undefined) return null;
  if (typeof text !== "string") throw memberError(members, "cursor", `expected a string, got ${shown(text)}`);
  return decodeCursor(report, text, fingerprint, key);
}

/** Masks or unmasks all but the HMAC: a holder may not see ids, times and projects of events, and nobody how many events all projects receive. */
function mask(bytes: Uint8Array, key: Uint8Array): void {
  const seed = new Uint8Array(PROJECT_AT - MAC_AT + 2);
  seed.set(bytes.subarray(MAC_AT, PROJECT_AT));
  const view = new DataView(seed.buffer);
  let pad: Uint8Array = seed;
  for (let at = 0; at < bytes.length; at += 1) {
    if (at % 32 === 0) {
      view.setUint16(seed.length - 2, at / 32);
      pad = hmacSha256(key, seed);
    }
    if (at < MAC_AT || at >= PROJECT_AT) bytes[at] = (bytes[at] ?? 0) ^ (pad[at % 32] ?? 0);
  }
}

function macOf(bytes: Uint8Array, key: Uint8Array): Uint8Array {
  const sealed = new Uint8Array(bytes.length - (PROJECT_AT - MAC_AT));
  sealed.set(bytes.subarray(0, MAC_AT));
  sealed.set(bytes.subarray(PROJECT_AT), MAC_AT);
  return hmacSha256(key, sealed).subarray(0, PROJECT_AT - MAC_AT);
}

/** The time of a query is no part of its meaning. */
const MOMENT = "nowMs";
/** A longer text of a nested object is replaced by its hash. */
const CHAR_COUNT_MAX = 256;

/**
 * JSON of a query with sorted keys. A longer object within it becomes `{"hash":…}` of its own text: a filter, or a segment of a thousand
 * conditions, may occur in hundreds of places, and is serialized once. Cost: the distinct objects.
 */
export function canonicalText(value: unknown): string {
  const known = new Map<object, string>();
  const textOf = (member: unknown): string => {
    if (typeof member !== "object" || member === null) return JSON.stringify(member);
    if (Array.isArray(member)) return `[${member.map(textOf).join(",")}]`;
    const before = known.get(member);
    if (before !== undefined) return before;
    const text = objectText(member, textOf);
    const short = text.length > CHAR_COUNT_MAX ? `{"hash":"${toHex(hash128("object", text))}"}` : text;
    known.set(member, short);
    return short;
  };
  return typeof value === "object" && value !== null && !Array.isArray(value) ? objectText(value, textOf) : textOf(value);
}

function objectText(object: object, textOf: (member: unknown) => string): string {
  const members = Object.entries(object).filter(([name]) => name !== MOMENT).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`).join(",")}}`;
}
