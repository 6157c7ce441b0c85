/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
/** Epoch ms of some rows, by their ms of the day. Written as pairs of 32-bit words: a BigInt per row would cost as much as all else. */
export function instantsOf(startMs: number, times: Int32Array, rows: Uint32Array): BigInt64Array {
  const words = new Uint32Array(rows.length * 2);
  for (let at = 0; at < rows.length; at += 1) {
    const createdAtMs = startMs + times[rows[at]!]!;
    words[at * 2] = createdAtMs;
    words[at * 2 + 1] = Math.floor(createdAtMs / 2 ** 32);
  }
  return new BigInt64Array(words.buffer);
}
