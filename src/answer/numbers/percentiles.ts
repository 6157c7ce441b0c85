/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the lists */
import { inPieces } from "../../base/in-pieces.js";
import { sortNumbers } from "../../base/sort-numbers.js";
import { Turns } from "../../base/turn.js";
import { secondsOf } from "./shown.js";

/** Ms of durations. */
export type Durations = Uint32Array | Float64Array;

/** Up to so many are sorted in any case. */
const FEW = 2_048;

/** Values below it have a bin each; greater ones share one with those of the same leading bits. */
const MANTISSA_BITS = 8;
const EXACT_BELOW = 2 ** MANTISSA_BITS;
const BIN_COUNT = (33 - MANTISSA_BITS) * EXACT_BELOW;

/**
 * Percentiles of the durations at some places, in any order, by linear interpolation, in seconds; null of nothing.
 * Cost: a look at each to put it in a bin, and another one to find those of the bins that are asked for; a sort where they do not fit 32 bits.
 */
export async function percentilesOf(
  durations: Durations,
  places: Uint32Array,
  percents: readonly number[],
  pause: () => Promise<void>,
): Promise<(number | null)[]> {
  const ranks = ranksOf(places.length, percents);
  if (durations instanceof Uint32Array && places.length > FEW) return interpolated(places.length, percents, await binnedAt(durations, places, ranks, pause));
  const sorted = await sortNumbers(Float64Array.from(places, (place) => durations[place]!), new Turns(undefined, pause));
  return interpolated(places.length, percents, ranks.map((rank) => sorted[rank]!));
}

/**
 * The same of durations of which those of 0 ms are only counted, and the others stand in lists, each ascending.
 * Cost: some 30 searches in each list for each percentile.
 */
export function percentilesOfLists(zeroCount: number, lists: readonly Durations[], percents: readonly number[]): (number | null)[] {
  const count = lists.reduce((sum, { length }) => sum + length, zeroCount);
  return interpolated(count, percents, ranksOf(count, percents).map((rank) => (rank < zeroCount ? 0 : valueAt(lists, rank - zeroCount))));
}

/** Of each percentile the ranks of the values that it lies between. */
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

/** The least whole number that more values than `rank` do not exceed: that is one of them. */
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

async function binnedAt(durations: Uint32Array, places: Uint32Array, ranks: readonly number[], pause: () => Promise<void>): Promise<number[]> {
  const bins = new Uint32Array(BIN_COUNT);
  await inPieces(places.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) bins[binOf(durations[places[at]!]!)]! += 1;
  });
  /** By bin of a rank: how many lie below it. */
  const below = new Map<number, number>();
  const binOfRank = new Map<number, number>();
  for (let bin = 0, count = 0; bin < BIN_COUNT; bin += 1) {
    for (const rank of ranks)
      if (rank >= count && rank < count + bins[bin]!) {
        binOfRank.set(rank, bin);
        below.set(bin, count);
      }
    count += bins[bin]!;
  }
  const wanted = new Uint8Array(BIN_COUNT);
  const found = new Map<number, Uint32Array>();
  for (const bin of below.keys()) {
    // What shares a bin of its own is all the same.
    if (bin >= EXACT_BELOW) wanted[bin] = 1;
    found.set(bin, new Uint32Array(bin >= EXACT_BELOW ? bins[bin]! : 0));
  }
  const ends = new Map<number, number>();
  if (wanted.includes(1))
    await inPieces(places.length, pause, (from, to) => {
      for (let at = from; at < to; at += 1) {
        const duration = durations[places[at]!]!;
        const bin = binOf(duration);
        if (wanted[bin] === 0) continue;
        const end = ends.get(bin) ?? 0;
        found.get(bin)![end] = duration;
        ends.set(bin, end + 1);
      }
    });
  for (const list of found.values()) list.sort();
  return ranks.map((rank) => {
    const bin = binOfRank.get(rank)!;
    return bin < EXACT_BELOW ? bin : found.get(bin)![rank - below.get(bin)!]!;
  });
}

/** Bins ascend with what is in them. */
function binOf(duration: number): number {
  if (duration < EXACT_BELOW) return duration;
  const shift = 32 - MANTISSA_BITS - 1 - Math.clz32(duration);
  return (shift + 1) * EXACT_BELOW + ((duration >>> shift) & (EXACT_BELOW - 1));
}
