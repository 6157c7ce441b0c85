/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the lists */
import { KEY_SPAN } from "./row-keys.js";

/** Event counts by key and item. A pair is `key * KEY_SPAN + item`; pairs are distinct and ascending. 12 bytes per pair. */
export interface Cells {
  readonly pairs: Float64Array;
  readonly counts: Uint32Array;
}

/** Largest table to count in instead of sorting pairs: 4 MB. */
const TABLE_SIZE = 2 ** 20;
/** Largest table size per row for which counting in a table pays off. */
const PLACES_PER_ROW = 16;

// One shared table: counting is synchronous and leaves it zeroed.
const table = new Uint32Array(TABLE_SIZE);

/** Counts events by key and item. Cost: one read per event; if there are many keys and items, a sort. */
export function cellsOf(keys: Uint32Array, items: Uint32Array): Cells {
  const [keyEnd, itemEnd] = [endOf(keys), endOf(items)];
  const size = keyEnd * itemEnd;
  return size <= TABLE_SIZE && size <= keys.length * PLACES_PER_ROW + 1_024 ? countedCells(keys, items, itemEnd, size) : sortedCells(keys, items);
}

function endOf(codes: Uint32Array): number {
  let max = 0;
  for (let at = 0; at < codes.length; at += 1) if (codes[at]! > max) max = codes[at]!;
  return max + 1;
}

function countedCells(keys: Uint32Array, items: Uint32Array, itemEnd: number, size: number): Cells {
  for (let at = 0; at < keys.length; at += 1) table[keys[at]! * itemEnd + items[at]!]! += 1;
  let count = 0;
  for (let place = 0; place < size; place += 1) if (table[place] !== 0) count += 1;
  const cells = { pairs: new Float64Array(count), counts: new Uint32Array(count) };
  for (let place = 0, at = 0; at < count; place += 1) {
    if (table[place] === 0) continue;
    cells.pairs[at] = Math.floor(place / itemEnd) * KEY_SPAN + (place % itemEnd);
    cells.counts[at] = table[place]!;
    at += 1;
  }
  table.fill(0, 0, size);
  return cells;
}

function sortedCells(keys: Uint32Array, items: Uint32Array): Cells {
  const sorted = new Float64Array(keys.length);
  for (let at = 0; at < keys.length; at += 1) sorted[at] = keys[at]! * KEY_SPAN + items[at]!;
  sorted.sort();
  const counts = new Uint32Array(keys.length);
  let count = 0;
  for (let at = 0; at < sorted.length; at += 1) {
    if (count === 0 || sorted[count - 1] !== sorted[at]) {
      sorted[count] = sorted[at]!;
      count += 1;
    }
    counts[count - 1]! += 1;
  }
  return { pairs: sorted.slice(0, count), counts: counts.slice(0, count) };
}

/** Sums up several lists without changing them. Cost: the pairs, times the logarithm of the number of lists. */
export function unitedCells(lists: readonly Cells[]): Cells {
  if (lists.length === 1) return lists[0]!;
  let merged = [...lists];
  while (merged.length > 1) {
    const next: Cells[] = [];
    for (let at = 0; at < merged.length; at += 2) next.push(at + 1 < merged.length ? bothCells(merged[at]!, merged[at + 1]!) : merged[at]!);
    merged = next;
  }
  return merged[0] ?? { pairs: new Float64Array(0), counts: new Uint32Array(0) };
}

function bothCells(a: Cells, b: Cells): Cells {
  const pairs = new Float64Array(a.pairs.length + b.pairs.length);
  const counts = new Uint32Array(pairs.length);
  let count = 0;
  for (let left = 0, right = 0; left < a.pairs.length || right < b.pairs.length; count += 1) {
    const [first, second] = [a.pairs[left] ?? Infinity, b.pairs[right] ?? Infinity];
    pairs[count] = Math.min(first, second);
    if (first <= second) {
      counts[count]! += a.counts[left]!;
      left += 1;
    }
    if (second <= first) {
      counts[count]! += b.counts[right]!;
      right += 1;
    }
  }
  return { pairs: pairs.slice(0, count), counts: counts.slice(0, count) };
}

export function byteLengthOfCells({ pairs, counts }: Cells): number {
  return pairs.byteLength + counts.byteLength;
}
