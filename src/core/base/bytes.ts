/** Whether two byte arrays are equal; null equals only null. */
export function areSameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : a.length === b.length && a.every((byte, at) => byte === b[at]);
}

/** Takes the same time wherever the bytes differ, so that a MAC cannot be guessed byte by byte. */
export function isSameMac(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at += 1) difference |= (a[at] ?? 0) ^ (b[at] ?? 0);
  return difference === 0;
}

/** Base64url text without padding, of at most 64 KiB: each byte is an argument of one call. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Bytes of unpadded base64url text; null for anything that `encodeBase64Url` would not have written. */
export function decodeBase64Url(text: string): Uint8Array | null {
  try {
    const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = new Uint8Array(letters.length).map((_, at) => letters.charCodeAt(at));
    return encodeBase64Url(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}
