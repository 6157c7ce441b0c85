/** Whether two byte arrays are equal; null equals only null. */
export function areSameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : a.length === b.length && a.every((byte, at) => byte === b[at]);
}
