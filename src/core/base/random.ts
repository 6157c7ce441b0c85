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
