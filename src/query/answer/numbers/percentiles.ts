/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the lists */
import { inChunks } from "../../../core/base/in-chunks.js";
import { sortNumbers } from "../../../core/base/sort-numbers.js";
import { Turns } from "../../../core/base/turn.js";
import { secondsOf, type Durations } from "./tally.js";

/** Up to this many durations are always sorted. */
const FEW = 8_192;

/** Significant bits of a bin: values below `EXACT_BELOW` have a bin each; greater ones share one with those of the same leading bits. */
const MANTISSA_BITS = 8;
const EXACT_BELOW = 2 ** MANTISSA_BITS;
const BIN_COUNT = (33 - MANTISSA_BITS) * EXACT_BELOW;

/**
 * Percentiles of the durations at some positions, in any order, by linear interpolation, in seconds; null without durations.
 * Cost: a read of each to bin it, and another one to collect those of the requested bins; a sort when they do not fit 32 bits.
 * @param places null: all
 */
export async function percentilesOf(
  durations: Durations,
  places: Uint32Array | null,
  percents: readonly number[],
  pause: () => Promise<void>,
): Promise<(number | null)[]> {
  const count = places?.length ?? durations.length;
  const ranks = ranksOf(count, percents);
  const isBinned = count > FEW && durations instanceof Uint32Array;
  const values = isBinned ? await binnedAt(durations, places, ranks, pause) : await sortedAt(durations, places, ranks, pause);
  return interpolated(count, percents, values);
}

/** The same, with durations of 0 ms only counted and the others in ascending lists. Cost: about 30 searches in each list for each percentile. */
export function percentilesOfLists(zeroCount: number, lists: readonly Durations[], percents: readonly number[]): (number | null)[] {
  const count = lists.reduce((sum, { length }) => sum + length, zeroCount);
  return interpolated(count, percents, ranksOf(count, percents).map((rank) => (rank < zeroCount ? 0 : valueAt(lists, rank - zeroCount))));
}

/** For each percentile the ranks of the two values that it lies between. */
function ranksOf(count: number, percents: readonly number[]): number[] {
  const last = count - 1;
  return percents.flatMap((percent) => [Math.floor((last * percent) / 100), Math.ceil((last * percent) / 100)]);
}

/** @param values those at the ranks */
function interpolated(count: number, percents: readonly number[], values: readonly number[]): (number | null)[] {
  const last = count - 1;
  if (last < 0) return percents.map(() => null);
  return percents.map((percent, at) => {
    const rest = (last * percent) % 100;
    return secondsOf(values[at * 2]! * (100 - rest) + values[at * 2 + 1]! * rest, 100);
  });
}

/** The least whole number that more values than `rank` do not exceed; it is one of the values. */
function valueAt(lists: readonly Durations[], rank: number): number {
  const [only, ...others] = lists;
  if (others.length === 0) return only?.[rank] ?? 0;
  let low = 0;
  let high = lists.reduce((most, list) => Math.max(most, list.at(-1) ?? 0), 0);
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (countUpTo(lists, middle) > rank) high = middle;
    else low = middle + 1;
  }
  return low;
}

function countUpTo(lists: readonly Durations[], value: number): number {
  let count = 0;
  for (const list of lists) {
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (list[middle]! <= value) low = middle + 1;
      else high = middle;
    }
    count += low;
  }
  return count;
}

async function sortedAt(durations: Durations, places: Uint32Array | null, ranks: readonly number[], pause: () => Promise<void>): Promise<number[]> {
  const values = new Float64Array(places?.length ?? durations.length);
  if (places === null) values.set(durations);
  else
    await inChunks(values.length, pause, (from, to) => {
      for (let at = from; at < to; at += 1) values[at] = durations[places[at]!]!;
    });
  const sorted = await sortNumbers(values, new Turns(undefined, pause));
  return ranks.map((rank) => sorted[rank]!);
}

/** @param ranks of existing values */
async function binnedAt(durations: Uint32Array, places: Uint32Array | null, ranks: readonly number[], pause: () => Promise<void>): Promise<number[]> {
  const count = places?.length ?? durations.length;
  const counts = new Uint32Array(BIN_COUNT);
  await inChunks(count, pause, (from, to) => {
    for (let at = from; at < to; at += 1) counts[binOf(durations[places === null ? at : places[at]!]!)]! += 1;
  });
  const ends = counts.slice();
  for (let bin = 1; bin < BIN_COUNT; bin += 1) ends[bin]! += ends[bin - 1]!;
  const binsOfRanks = ranks.map((rank) => ends.findIndex((end) => end > rank));
  // All values of a bin below `EXACT_BELOW` are equal.
  const shared = [...new Set(binsOfRanks)].filter((bin) => bin >= EXACT_BELOW);
  const lists = await sortedBins(durations, places, shared.map((bin) => ({ bin, values: new Float64Array(counts[bin]!) })), pause);
  return ranks.map((rank, at) => {
    const bin = binsOfRanks[at]!;
    return bin < EXACT_BELOW ? bin : lists[shared.indexOf(bin)]![rank - (ends[bin]! - counts[bin]!)]!;
  });
}

interface Bin {
  readonly bin: number;
  /** Has room for all values of the bin. */
  readonly values: Float64Array;
}

/** The values of some bins, ascending. */
async function sortedBins(
  durations: Uint32Array,
  places: Uint32Array | null,
  bins: readonly Bin[],
  pause: () => Promise<void>,
): Promise<Float64Array[]> {
  if (bins.length === 0) return [];
  /** By bin: 1 more than its index in `bins`; 0 for others. */
  const placesOfBins = new Uint8Array(BIN_COUNT);
  for (const [place, { bin }] of bins.entries()) placesOfBins[bin] = place + 1;
  const ends = new Uint32Array(bins.length);
  await inChunks(places?.length ?? durations.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const duration = durations[places === null ? at : places[at]!]!;
      const place = placesOfBins[binOf(duration)]! - 1;
      if (place < 0) continue;
      bins[place]!.values[ends[place]!] = duration;
      ends[place]! += 1;
    }
  });
  const sorted: Float64Array[] = [];
  const turns = new Turns(undefined, pause);
  for (const { values } of bins) sorted.push(await sortNumbers(values, turns));
  return sorted;
}

/** Bins ascend with their values. */
function binOf(duration: number): number {
  if (duration < EXACT_BELOW) return duration;
  const shift = 32 - MANTISSA_BITS - 1 - Math.clz32(duration);
  return (shift + 1) * EXACT_BELOW + ((duration >>> shift) & (EXACT_BELOW - 1));
}
