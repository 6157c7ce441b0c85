import { sha256, sha256Start } from "./sha256.js";

export { crc32, useCrc32 } from "./crc32.js";
export { Sha256, sha256 } from "./sha256.js";

const encoder = new TextEncoder();

/** HMAC-SHA-256 (RFC 2104), 32 bytes. */
export function hmacSha256(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  const inner = new Uint8Array(64 + bytes.length);
  const outer = new Uint8Array(96);
  for (let at = 0; at < 64; at += 1) {
    inner[at] = (block[at] ?? 0) ^ 0x36;
    outer[at] = (block[at] ?? 0) ^ 0x5c;
  }
  inner.set(bytes, 64);
  outer.set(sha256(inner), 64);
  return sha256(outer);
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Lower-case hex of bytes. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 1) text += HEX[bytes[at] ?? 0] ?? "";
  return text;
}

/** Lower-case hex of SHA-256 over a text in UTF-8. */
export function sha256Hex(text: string): string {
  return toHex(sha256(encoder.encode(text)));
}

/** The first 16 bytes of SHA-256 over `kind`, a zero byte and `value` in UTF-8. */
export function hash128(kind: string, value: string): Uint8Array {
  return sha256Start(`${kind}\0${value}`);
}
