/** Whether two arrays of bytes are equal; of two that are not there it is true. */
export function areSameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : a.length === b.length && a.every((byte, at) => byte === b[at]);
}
