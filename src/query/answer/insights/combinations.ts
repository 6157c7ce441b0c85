/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the lists */
import { placesByKey } from "../../../core/base/arrays.js";
import { parameterError, type DaybookError } from "../../../core/base/errors.js";
import { LIMITS } from "../../../core/base/limits.js";
import { compareCodePoints } from "../../../core/base/text-order.js";
import { PairTable } from "../../../core/base/pair-table.js";
import { piecesOf, type Steps } from "../../../core/base/yield.js";
import { firstPlaces } from "../ranked-items.js";

/** Maps keys to groups without reading texts: groups are numbers, one for each combination of values. */
export interface KeyGroups {
  /** The groups of a key: one, except for arrays, which belong to the group of each element. */
  groupsOf(key: number): readonly number[];
  /** The values of a group, one for each field. */
  valuesOfGroup(group: number): readonly string[];
}

const KEYS_PER_STEP = 1_024;
const LOOKS_PER_STEP = 8_192;
const UINT32_SPAN = 2 ** 32;
/** Allowed pairs of a key and a combination for each allowed combination: 16 bytes each. */
const PAIRS_PER_COMBINATION = 4;

/** The distinct combinations of some keys, by index. A key may belong to several. About 40 bytes each. */
export class Combinations {
  /** @param starts of the keys of each combination, and the end of the last @param shared keys that belong to several */
  constructor(
    readonly groups: KeyGroups,
    readonly groupNumbers: readonly number[],
    private readonly starts: Uint32Array,
    private readonly keys: Float64Array,
    private readonly shared: ReadonlySet<number>,
  ) {}

  get count(): number {
    return this.groupNumbers.length;
  }

  keysOf(place: number): Float64Array {
    return this.keys.subarray(this.starts[place]!, this.starts[place + 1]!);
  }

  /** One for each field. Not cached: of many combinations few are shown. */
  valuesOf(place: number): readonly string[] {
    return this.groups.valuesOfGroup(this.groupNumbers[place]!);
  }

  *sumsOf(valueOf: (key: number) => number): Steps<Float64Array> {
    const sums = new Float64Array(this.count);
    for (let place = 0; place < this.count; place += 1) {
      let sum = 0;
      for (let at = this.starts[place]!; at < this.starts[place + 1]!; at += 1) sum += valueOf(this.keys[at]!);
      sums[place] = sum;
      if (place % LOOKS_PER_STEP === 0) yield;
    }
    return sums;
  }

  /** The indexes of the greatest combinations: sizes descending, then by values. @param sizes by index; -Infinity is the least */
  greatest(sizes: Float64Array, limit: number): Steps<number[]> {
    return firstPlaces(this.count, limit, (a, b) => (sizes[a] === sizes[b] ? compareValues(this.valuesOf(a), this.valuesOf(b)) : sizes[b]! - sizes[a]!));
  }

  /** The keys that belong to at least one combination that is not shown, each once. @param shown indexes */
  *restOf(shown: readonly number[]): Steps<Float64Array> {
    const isShown = new Uint8Array(this.count);
    for (const place of shown) isShown[place] = 1;
    const [rest, sharedRest] = [[] as number[], new Set<number>()];
    for (let place = 0; place < this.count; place += 1) {
      if (place % LOOKS_PER_STEP === 0) yield;
      if (isShown[place] === 1) continue;
      for (let at = this.starts[place]!; at < this.starts[place + 1]!; at += 1) {
        const key = this.keys[at]!;
        if (this.shared.has(key)) sharedRest.add(key);
        else rest.push(key);
      }
    }
    for (const key of sharedRest) rest.push(key);
    return Float64Array.from(rest);
  }
}

/** The combination of no values, which exists without any key. */
export function onlyGroup(groups: KeyGroups, group: number): Combinations {
  return new Combinations(groups, [group], new Uint32Array(2), new Float64Array(0), new Set());
}

export function tooManyCombinations(): DaybookError {
  const reason = `expected at most ${LIMITS.combinationCount} combinations of values (including those not shown), got more; use fewer days, a filter or a single field`;
  return parameterError("query_too_large", "breakdown", reason);
}

/**
 * The combinations of some keys. Cost: two reads of each key, and of each of its groups.
 * @param keys each once @param isBounded false for lists that every such query returns, whatever its parameters @throws query_too_large
 */
export function* combinationsOf(keys: Iterable<number>, groups: KeyGroups, isBounded = true): Steps<Combinations> {
  const numbers = new PairTable();
  const groupNumbers: number[] = [];
  // In parallel: the index of a combination, and one of its keys.
  const [places, ownKeys]: [number[], number[]] = [[], []];
  const shared = new Set<number>();
  let [lookedCount, yieldedCount] = [0, 0];
  for (const key of keys) {
    const own = groups.groupsOf(key);
    if (own.length > 1) shared.add(key);
    // Arrays in two fields give all pairs of their elements.
    if (isBounded && places.length + own.length > PAIRS_PER_COMBINATION * LIMITS.combinationCount) throw tooManyCombinations();
    for (const group of own) {
      const number = numbers.of(Math.floor(group / UINT32_SPAN), group % UINT32_SPAN, groupNumbers.length + 1);
      if (number > groupNumbers.length) {
        if (isBounded && groupNumbers.length === LIMITS.combinationCount) throw tooManyCombinations();
        groupNumbers.push(group);
      }
      places.push(number - 1);
      ownKeys.push(key);
    }
    lookedCount += Math.max(1, own.length);
    if (lookedCount - yieldedCount < KEYS_PER_STEP) continue;
    yieldedCount = lookedCount;
    yield;
  }
  const { starts, places: order } = yield* placesByKey(Uint32Array.from(places), groupNumbers.length);
  const sorted = new Float64Array(ownKeys.length);
  yield* piecesOf(sorted.length, LOOKS_PER_STEP, (from, to) => {
    for (let at = from; at < to; at += 1) sorted[at] = ownKeys[order[at]!]!;
  });
  return new Combinations(groups, groupNumbers, starts, sorted, shared);
}

/** Compares combinations by their values, first field first, each by code points. */
export function compareValues(a: readonly string[], b: readonly string[]): number {
  for (const [at, value] of a.entries()) {
    const order = compareCodePoints(value, b[at] ?? "");
    if (order !== 0) return order;
  }
  return 0;
}
