/** Merges two sorted lists of row numbers. Cost: linear. */
export function mergedSorted(a: Uint32Array, b: Uint32Array, compare: (a: number, b: number) => number): Uint32Array {
  const merged = new Uint32Array(a.length + b.length);
  let [fromA, fromB] = [0, 0];
  for (let at = 0; at < merged.length; at += 1) {
    const isA = fromB === b.length || (fromA < a.length && compare(a[fromA] as number, b[fromB] as number) <= 0);
    merged[at] = (isA ? a[fromA] : b[fromB]) as number;
    if (isA) fromA += 1;
    else fromB += 1;
  }
  return merged;
}
