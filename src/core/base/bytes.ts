/** Whether two byte arrays are equal; null equals only null. */
export function areSameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : a.length === b.length && a.every((byte, at) => byte === b[at]);
}

/** Base64url text without padding, of at most 64 KiB: each byte is an argument of one call. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Bytes of unpadded base64url text; null for anything that `encodeBase64Url` would not have written. */
export function decodeBase64Url(text: string): Uint8Array | null {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    return encodeBase64Url(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}
