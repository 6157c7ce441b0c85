/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the lists */
import { compareCodePoints } from "../../base/order.js";
import type { Steps } from "../../base/steps.js";

/** What keys stand for, without a look at texts: groups are numbers, one for each combination of values. */
export interface KeyGroups {
  /** The groups of a key: one, but for arrays, which stand under each element. */
  groupsOf(key: number): readonly number[];
  /** The values of a group, one a field. */
  valuesOfGroup(group: number): readonly string[];
}

/** What stands under one combination of values: keys, each of which may stand under several. */
export class Combination {
  readonly keys: number[] = [];
  #values: readonly string[] | null = null;

  constructor(
    readonly group: number,
    readonly groups: KeyGroups,
  ) {}

  /** Made when first asked for: of many combinations few are shown. */
  get values(): readonly string[] {
    return (this.#values ??= this.groups.valuesOfGroup(this.group));
  }
}

/** Keys that are looked at in one step. */
const KEYS_PER_STEP = 8_192;

/** The combinations that some keys stand for, each once, with its keys. Cost: the keys, some 2 µs each where each has values of its own. */
export function* combinationsOf(keys: Iterable<number>, groups: KeyGroups): Steps<Combination[]> {
  const known = new Map<number, Combination>();
  let lookedCount = 0;
  for (const key of keys) {
    for (const group of groups.groupsOf(key)) {
      let combination = known.get(group);
      if (combination === undefined) known.set(group, (combination = new Combination(group, groups)));
      combination.keys.push(key);
    }
    lookedCount += 1;
    if (lookedCount % KEYS_PER_STEP === 0) yield;
  }
  return [...known.values()];
}

/** Combinations by their values, the first field first, each in the order of code points. */
export function compareValues(a: readonly string[], b: readonly string[]): number {
  for (const [at, value] of a.entries()) {
    const order = compareCodePoints(value, b[at] ?? "");
    if (order !== 0) return order;
  }
  return 0;
}

/**
 * The combinations with the greatest sizes: sizes descending, then by values. Texts are looked at only of those that may be shown.
 * @param sizes by place of the combination; -Infinity is the least
 */
export function greatestOf(combinations: readonly Combination[], sizes: Float64Array, limit: number): Combination[] {
  const places = [...combinations.keys()];
  const least = combinations.length <= limit ? -Infinity : sizes.slice().sort()[combinations.length - limit]!;
  return places
    .filter((place) => sizes[place]! >= least)
    .sort((a, b) => (sizes[a] === sizes[b] ? compareValues(combinations[a]!.values, combinations[b]!.values) : sizes[b]! - sizes[a]!))
    .slice(0, limit)
    .map((place) => combinations[place]!);
}

/** The keys that stand under at least one combination that is not shown, each once. */
export function restOf(all: readonly Combination[], shown: ReadonlySet<unknown>): number[] {
  return [...new Set(all.flatMap((combination) => (shown.has(combination) ? [] : combination.keys)))];
}
