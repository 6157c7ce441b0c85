/** Whether two byte arrays are equal; null equals only null. */
export function areSameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : a.length === b.length && a.every((byte, at) => byte === b[at]);
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const VALUES = new Map([...ALPHABET].map((letter, value) => [letter, value]));

/** Base64url text of bytes, without padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let bitCount = 0;
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xffff;
    bitCount += 8;
    while (bitCount >= 6) {
      bitCount -= 6;
      text += ALPHABET[(bits >> bitCount) & 63];
    }
  }
  return bitCount > 0 ? text + ALPHABET[(bits << (6 - bitCount)) & 63] : text;
}

/** Bytes of unpadded base64url text; null for anything that `encodeBase64Url` would not have written. */
export function decodeBase64Url(text: string): Uint8Array | null {
  if (text.length % 4 === 1) return null;
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let bits = 0;
  let bitCount = 0;
  let at = 0;
  for (const letter of text) {
    const value = VALUES.get(letter);
    if (value === undefined) return null;
    bits = ((bits << 6) | value) & 0xffff;
    bitCount += 6;
    if (bitCount >= 8) {
      bitCount -= 8;
      bytes[at] = bits >> bitCount;
      at += 1;
    }
  }
  const leftover = bits & ((1 << bitCount) - 1);
  return leftover === 0 ? bytes : null;
}
