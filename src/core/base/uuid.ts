import { hash128, HEX } from "./hash.js";

/** The canonical lower-case text of the 16 bytes at `offset`. */
export function uuidText(bytes: Uint8Array, offset = 0): string {
  return (
    hexOfFour(bytes, offset) + "-" + hexOfTwo(bytes, offset + 4) + "-" + hexOfTwo(bytes, offset + 6) + "-" + hexOfTwo(bytes, offset + 8) +
    "-" + hexOfTwo(bytes, offset + 10) + hexOfFour(bytes, offset + 12)
  );
}

function hexOfFour(bytes: Uint8Array, at: number): string {
  return hexOfTwo(bytes, at) + hexOfTwo(bytes, at + 2);
}

function hexOfTwo(bytes: Uint8Array, at: number): string {
  return (HEX[bytes[at] ?? 0] ?? "") + (HEX[bytes[at + 1] ?? 0] ?? "");
}

/** The 16 bytes of a UUID in its usual text form (any case); null for other text. */
export function parseUuid(text: string): Uint8Array | null {
  const bytes = new Uint8Array(16);
  return writeUuid(text, bytes, 0) ? bytes : null;
}

/** Value of a hex digit by its character code; above 15 for anything else. */
const NIBBLES = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 255 : value;
});

/** Writes the 16 bytes of a UUID's text at `offset`; returns false, with undefined bytes, if the text is no UUID. */
function writeUuid(text: string, bytes: Uint8Array, offset: number): boolean {
  if (text.length !== 36) return false;
  let at = 0;
  // Checked once at the end: a branch per digit would cost as much as the digit.
  let [codes, nibbles] = [0, 0];
  for (let index = 0; index < 16; index += 1) {
    if (index === 4 || index === 6 || index === 8 || index === 10) {
      if (text.charCodeAt(at) !== 45) return false;
      at += 1;
    }
    const first = text.charCodeAt(at);
    const second = text.charCodeAt(at + 1);
    const high = NIBBLES[first & 127] as number;
    const low = NIBBLES[second & 127] as number;
    codes |= first | second;
    nibbles |= high | low;
    bytes[offset + index] = (high << 4) | low;
    at += 2;
  }
  return codes < 128 && nibbles < 16;
}

/** Writes the UUID of an id at `offset`: the id itself if it is one, else the first 128 bits of its hash as version 8. */
export function writeUuidOfText(text: string, bytes: Uint8Array, offset: number): void {
  if (!writeUuid(text, bytes, offset)) bytes.set(hashedUuid("id", text), offset);
}

/** 48 bits of the key's hash, which find its events again, then a hash with its project: never an id of servers. @param keySha256 lower-case hex */
export function uuidOfPublic(project: string, id: string, keySha256: string): string {
  return `${startOfPublic(keySha256)}${uuidText(hashedUuid("public", `${project}\0${id}`)).slice(START_CHARS)}`;
}

/** The text that the ids of all events of a public key begin with, including their version. */
export function startOfPublic(keySha256: string): string {
  return `${keySha256.slice(0, 8)}-${keySha256.slice(8, 12)}-8`;
}

const START_CHARS = 15;

/** The first 128 bits of a hash, as version 8. */
function hashedUuid(domain: string, text: string): Uint8Array {
  const hash = hash128(domain, text);
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  return hash;
}

export function uuidOfText(text: string): string {
  const bytes = new Uint8Array(16);
  writeUuidOfText(text, bytes, 0);
  return uuidText(bytes);
}

/** Writes a UUIDv7 (RFC 9562): 48 bits of epoch ms, the rest from `random`. */
export function writeUuidV7(nowMs: number, random: (bytes: Uint8Array) => void, bytes: Uint8Array, offset: number): void {
  random(bytes.subarray(offset + 6, offset + 16));
  const high = Math.floor(nowMs / 2 ** 32);
  bytes[offset] = (high >>> 8) & 255;
  bytes[offset + 1] = high & 255;
  for (let at = 0; at < 4; at += 1) bytes[offset + 2 + at] = (nowMs >>> (24 - 8 * at)) & 255;
  bytes[offset + 6] = ((bytes[offset + 6] ?? 0) & 0x0f) | 0x70;
  bytes[offset + 8] = ((bytes[offset + 8] ?? 0) & 0x3f) | 0x80;
}

export function newUuidText(nowMs: number, random: (bytes: Uint8Array) => void): string {
  const bytes = new Uint8Array(16);
  writeUuidV7(nowMs, random, bytes, 0);
  return uuidText(bytes);
}

export function compareIds(a: Uint8Array, aOffset: number, b: Uint8Array, bOffset: number): number {
  for (let at = 0; at < 16; at += 1) {
    const difference = (a[aOffset + at] ?? 0) - (b[bOffset + at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const POOL_BYTE_LENGTH = 4_096;

/** Fills bytes from the Web Crypto generator, which it calls for many at once: a call for each id would cost more than the rest of an event. */
export function pooledRandom(): (bytes: Uint8Array) => void {
  const pool = new Uint8Array(POOL_BYTE_LENGTH);
  let at = POOL_BYTE_LENGTH;
  return (bytes) => {
    if (bytes.length > POOL_BYTE_LENGTH) return void bytes.set(globalThis.crypto.getRandomValues(new Uint8Array(bytes.length)));
    if (at + bytes.length > POOL_BYTE_LENGTH) {
      globalThis.crypto.getRandomValues(pool);
      at = 0;
    }
    bytes.set(pool.subarray(at, at + bytes.length));
    // The bytes may be a key: leave no copy.
    pool.fill(0, at, at + bytes.length);
    at += bytes.length;
  };
}
