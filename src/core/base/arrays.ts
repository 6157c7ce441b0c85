/** Copies an array to the beginning of a longer one, and returns that. */
export function grown<T extends { set(values: T): void }>(values: T, longer: T): T {
  longer.set(values);
  return longer;
}

/** All bytes of several arrays, one after another. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
