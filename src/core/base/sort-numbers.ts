/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the runs */
import type { Turns } from "./turn.js";

/** Cost of sorting a number among some thousands, in numbers read. */
const SORT_VALUE_COUNT = 8;
/** Cost of merging a number. */
const MERGE_VALUE_COUNT = 2;

/**
 * Sorts numbers in ascending order, in `numbers` itself or in an array of its size: keeps runs that already ascend, sorts the others,
 * and merges neighbours until one is left. Cost: n times the logarithm of the number of runs.
 */
export async function sortNumbers(numbers: Float64Array, turns: Turns): Promise<Float64Array> {
  let starts = await cutRuns(numbers, turns);
  let from = numbers;
  let into: Float64Array = new Float64Array(starts.length > 2 ? numbers.length : 0);
  while (starts.length > 2) {
    const merged = [0];
    for (let run = 0; run < starts.length - 1; run += 2) {
      const start = starts[run]!;
      const middle = starts[run + 1]!;
      const end = starts[run + 2] ?? middle;
      await mergeRuns(from, into, start, middle, end, turns);
      merged.push(end);
    }
    starts = merged;
    [from, into] = [into, from];
  }
  return from;
}

/** The start of each ascending run, and the end of the last. */
async function cutRuns(numbers: Float64Array, turns: Turns): Promise<number[]> {
  const starts = [0];
  const runLength = Math.ceil(turns.pieceLength / SORT_VALUE_COUNT);
  for (let start = 0; start < numbers.length; ) {
    let end = start + 1;
    while (end < numbers.length && numbers[end]! >= numbers[end - 1]!) end += 1;
    if (end - start < runLength) {
      end = Math.min(start + runLength, numbers.length);
      numbers.subarray(start, end).sort();
    }
    starts.push(end);
    await turns.took(SORT_VALUE_COUNT * (end - start));
    start = end;
  }
  return starts;
}

/** Merges the neighbours `[start, middle)` and `[middle, end)`. */
async function mergeRuns(from: Float64Array, into: Float64Array, start: number, middle: number, end: number, turns: Turns): Promise<void> {
  let left = start;
  let right = middle;
  const pieceLength = Math.ceil(turns.pieceLength / MERGE_VALUE_COUNT);
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
      await turns.took(MERGE_VALUE_COUNT * (end - pieceStart));
      return;
    }
    await turns.took(MERGE_VALUE_COUNT * (at - pieceStart));
  }
}
