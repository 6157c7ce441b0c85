/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { piecesOf, type Steps, type Yielder } from "./yield.js";

type NumberArray = Uint8Array | Int8Array | Uint32Array | Int32Array | Float64Array;

export function grouped<K, T>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

export function getOrMake<K, V>(values: { get(key: K): V | undefined; set(key: K, value: V): unknown }, key: K, make: () => V): V {
  let value = values.get(key);
  if (value === undefined) values.set(key, (value = make()));
  return value;
}

/** The number of an item among distinct ones, from 0 in order of arrival. */
export function numberIn<T>(numbers: Map<T, number>, item: T): number {
  let number = numbers.get(item);
  if (number === undefined) numbers.set(item, (number = numbers.size));
  return number;
}

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

export function areSameNumbers(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}

/** Whether two lists hold the same objects in the same order, so that data derived from one is valid for the other. */
export function areSameParts(a: readonly object[], b: readonly object[]): boolean {
  return a === b || (a.length === b.length && a.every((part, at) => part === b[at]));
}

/** Cost of sorting a number among some thousands, in numbers read. */
const SORT_VALUE_COUNT = 8;
/** Cost of merging a number. */
const MERGE_VALUE_COUNT = 2;

/** Keeps runs that already ascend and merges neighbours, in `numbers` or an array of its size. Cost: n times the logarithm of the runs. */
export async function sortNumbers(numbers: Float64Array, yielder: Yielder): Promise<Float64Array> {
  let starts = await cutRuns(numbers, yielder);
  let from = numbers;
  let into: Float64Array = new Float64Array(starts.length > 2 ? numbers.length : 0);
  while (starts.length > 2) {
    const merged = [0];
    for (let run = 0; run < starts.length - 1; run += 2) {
      const start = starts[run]!;
      const middle = starts[run + 1]!;
      const end = starts[run + 2] ?? middle;
      await mergeRuns(from, into, start, middle, end, yielder);
      merged.push(end);
    }
    starts = merged;
    [from, into] = [into, from];
  }
  return from;
}

/** The start of each ascending run, and the end of the last. */
async function cutRuns(numbers: Float64Array, yielder: Yielder): Promise<number[]> {
  const starts = [0];
  const runLength = Math.ceil(yielder.pieceLength / SORT_VALUE_COUNT);
  for (let start = 0; start < numbers.length; ) {
    let end = start + 1;
    while (end < numbers.length && numbers[end]! >= numbers[end - 1]!) end += 1;
    if (end - start < runLength) {
      end = Math.min(start + runLength, numbers.length);
      numbers.subarray(start, end).sort();
    }
    starts.push(end);
    await yielder.yieldAfter(SORT_VALUE_COUNT * (end - start));
    start = end;
  }
  return starts;
}

async function mergeRuns(from: Float64Array, into: Float64Array, start: number, middle: number, end: number, yielder: Yielder): Promise<void> {
  let left = start;
  let right = middle;
  const pieceLength = Math.ceil(yielder.pieceLength / MERGE_VALUE_COUNT);
  for (let at = start; at < end; ) {
    const pieceEnd = Math.min(at + pieceLength, end);
    const pieceStart = at;
    while (at < pieceEnd && left < middle && right < end) {
      into[at] = from[left]! <= from[right]! ? from[left++]! : from[right++]!;
      at += 1;
    }
    if (left === middle || right === end) {
      // The rest of the other side is already in order.
      into.set(left === middle ? from.subarray(right, end) : from.subarray(left, middle), at);
      await yielder.yieldAfter(MERGE_VALUE_COUNT * (end - pieceStart));
      return;
    }
    await yielder.yieldAfter(MERGE_VALUE_COUNT * (at - pieceStart));
  }
}

/** Numbers up to it are exact. */
const EXACT_SPAN = 2 ** 53;

/** The indexes below `count` in order; yields unless the numbers are too far apart. @param numberOf whole numbers, by which `compare` orders first */
export async function orderedBy(count: number, numberOf: (at: number) => number, compare: (a: number, b: number) => number, yielder: Yielder): Promise<Uint32Array> {
  const keys = new Float64Array(count);
  let [least, greatest] = [Infinity, -Infinity];
  await yielder.inPieces(count, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const number = numberOf(at);
      keys[at] = number;
      if (number < least) least = number;
      if (number > greatest) greatest = number;
    }
  });
  const span = 2 ** Math.ceil(Math.log2(count));
  if ((greatest - least + 1) * span > EXACT_SPAN) return Uint32Array.from(Array.from(keys.keys()).sort(compare));
  await yielder.inPieces(count, (from, to) => {
    for (let at = from; at < to; at += 1) keys[at] = (keys[at]! - least) * span + at;
  });
  const sorted = await sortNumbers(keys, yielder);
  const order = new Uint32Array(count);
  for (let start = 0, end = 0; start < count; start = end) {
    const number = Math.floor(sorted[start]! / span);
    for (; end < count && Math.floor(sorted[end]! / span) === number; end += 1) order[end] = sorted[end]! - number * span;
    if (end - start > 1) order.subarray(start, end).sort(compare);
  }
  return order;
}

/** Indexes of items by key: those of a key begin at its start, end at the start of the next key, and ascend. */
export interface PlacesByKey {
  readonly starts: Uint32Array;
  readonly places: Uint32Array;
}

export const PLACES_PER_STEP = 32 * 1024;

/** A counting sort of the indexes of items. @param keyEnd exclusive bound of the keys @param firstKey items with smaller keys are left out */
export function* placesByKey(keys: Uint32Array, keyEnd: number, firstKey = 0): Steps<PlacesByKey> {
  // One entry more: during placement, the entry after that of a key is the index of its next item.
  const starts = new Uint32Array(keyEnd + 2);
  yield* piecesOf(keys.length, PLACES_PER_STEP, (from, to) => {
    for (let at = from; at < to; at += 1) starts[keys[at]! + 2]! += 1;
  });
  starts.fill(0, 2, firstKey + 2);
  yield* piecesOf(keyEnd, PLACES_PER_STEP, (from, to) => {
    for (let key = from + 2; key < to + 2; key += 1) starts[key]! += starts[key - 1]!;
  });
  const places = new Uint32Array(starts[keyEnd + 1]!);
  yield* piecesOf(keys.length, PLACES_PER_STEP, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const next = keys[at]! + 1;
      if (next <= firstKey) continue;
      places[starts[next]!] = at;
      starts[next]! += 1;
    }
  });
  return { starts: starts.subarray(0, keyEnd + 1), places };
}

export function grown<A extends NumberArray>(array: A, length: number): A {
  // An array's constructor makes arrays of its own type.
  const longer = new (array.constructor as new (length: number) => A)(length);
  longer.set(array);
  return longer;
}

/** The array with room for at least `count` numbers: itself, or a copy of at least twice the length. */
export function withRoomFor<A extends NumberArray>(numbers: A, count: number): A {
  return count <= numbers.length ? numbers : grown(numbers, Math.max(count, numbers.length * 2));
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return concat(parts, (length) => new Uint8Array(length));
}

export function concat<A extends NumberArray>(parts: readonly ArrayLike<number>[], allocate: (length: number) => A): A {
  const whole = allocate(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
