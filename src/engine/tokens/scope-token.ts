import { concatBytes } from "../../core/base/arrays.js";
import { decodeBase64Url, encodeBase64Url } from "../../core/base/bytes.js";
import { DaybookError, assert } from "../../core/base/errors.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";

/** How every signed token begins: secret tokens begin with `sk_`, public keys with `pk_`. */
const PREFIX = "ds_";
/** Names of organizations have at most so many bytes. */
const ORGANIZATION_BYTES_MAX = 63;

/**
 * Format after the prefix, in base64url: version (1 byte), length of the organization (1 byte), organization (UTF-8), issued and expires (f64, epoch
 * ms), length of the inflated payload (u16), deflated payload (JSON of `scope` and `origins`), HMAC-SHA-256 of all bytes before it (32 bytes).
 * Numbers are big-endian. The organization is first and not deflated: it says whose key verifies the rest.
 */
const VERSION = 1;
const ORGANIZATION_AT = 2;
const TIMES_BYTES = 18;
const MAC_BYTES = 32;
/** Characters of the token that contain the longest organization, in whole groups of four. */
const ORGANIZATION_CHARS = Math.ceil((ORGANIZATION_AT + ORGANIZATION_BYTES_MAX) / 3) * 4;

const [encoder, decoder] = [new TextEncoder(), new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })];

/** The parts of a token that are not secret, and not verified either. */
export interface ScopeTokenParts {
  readonly organization: string;
  /** Epoch ms. */
  readonly issuedMs: number;
  /** Epoch ms. */
  readonly expiresMs: number;
  readonly payloadByteLength: number;
  readonly deflatedPayload: Uint8Array;
}

/** A token as it was sent. */
export interface UnverifiedToken extends ScopeTokenParts {
  /** The bytes that the MAC covers. */
  readonly signed: Uint8Array;
  readonly mac: Uint8Array;
}

/** The cause of the error of a token that a key of the store signed, but that is not valid now. */
export class ExpiredScopeToken {
  /** @param origins pages that may use the token; null: none */
  constructor(readonly origins: readonly string[] | null) {}
}

/** One error for every token that is not valid. */
export function invalidScopeToken(cause?: ExpiredScopeToken): DaybookError {
  return new DaybookError("invalid_token", "the token was not signed under a key of this store, or has expired", {}, cause === undefined ? {} : { cause });
}

/** @param macOf the MAC of the bytes before it */
export function encodeScopeToken(parts: ScopeTokenParts, macOf: (signed: Uint8Array) => Uint8Array): string {
  const organization = encoder.encode(parts.organization);
  const times = new Uint8Array(TIMES_BYTES);
  const view = new DataView(times.buffer);
  view.setFloat64(0, parts.issuedMs);
  view.setFloat64(8, parts.expiresMs);
  view.setUint16(16, parts.payloadByteLength);
  const signed = concatBytes([Uint8Array.of(VERSION, organization.length), organization, times, parts.deflatedPayload]);
  return `${PREFIX}${encodeBase64Url(concatBytes([signed, macOf(signed)]))}`;
}

/** Null for any text that `encodeScopeToken` would not have written. Verifies nothing. */
export function decodeScopeToken(token: string): UnverifiedToken | null {
  const bytes = isSignedToken(token) ? decodeBase64Url(token.slice(PREFIX.length)) : null;
  const organization = bytes === null ? null : organizationIn(bytes);
  if (bytes === null || organization === null) return null;
  const timesAt = ORGANIZATION_AT + (bytes[1] ?? 0);
  const macAt = bytes.length - MAC_BYTES;
  if (timesAt + TIMES_BYTES > macAt) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset + timesAt, TIMES_BYTES);
  return {
    organization,
    issuedMs: view.getFloat64(0),
    expiresMs: view.getFloat64(8),
    payloadByteLength: view.getUint16(16),
    deflatedPayload: bytes.subarray(timesAt + TIMES_BYTES, macAt),
    signed: bytes.subarray(0, macAt),
    mac: bytes.subarray(macAt),
  };
}

/** When a token that `encodeScopeToken` made expires, epoch ms. */
export function expiryOfScopeToken(token: string): number {
  const parts = decodeScopeToken(token);
  assert(parts !== null, "it is a signed token");
  return parts.expiresMs;
}

/** The organization whose key may verify a token; null: it is no signed token. */
export function organizationOfScopeToken(token: string): string | null {
  if (!isSignedToken(token)) return null;
  const bytes = decodeBase64Url(token.slice(PREFIX.length, PREFIX.length + ORGANIZATION_CHARS));
  return bytes === null ? null : organizationIn(bytes);
}

/** Whether a token claims to be signed; secret tokens begin with `sk_`. */
export function isSignedToken(text: string): boolean {
  return text.startsWith(PREFIX) && text.length <= SERVER_LIMITS.signedTokenChars;
}

function organizationIn(bytes: Uint8Array): string | null {
  const [version, byteLength = 0] = bytes;
  if (version !== VERSION || byteLength > ORGANIZATION_BYTES_MAX || bytes.length < ORGANIZATION_AT + byteLength) return null;
  try {
    return decoder.decode(bytes.subarray(ORGANIZATION_AT, ORGANIZATION_AT + byteLength));
  } catch {
    return null;
  }
}
