/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and pairs are bounded by their lists */
import { inPieces } from "../../base/in-pieces.js";
import { sortNumbers } from "../../base/sort-numbers.js";
import { inTurns } from "../../base/steps.js";
import { Turns } from "../../base/turn.js";
import { codeAt, denseCodes } from "../../column/column.js";
import type { Selector } from "../../filter/predicate.js";
import { isWhole, select } from "../../filter/select.js";
import type { IdentityView } from "../../identity/identity-view.js";
import type { AggregateItem } from "../../plan/input.js";
import type { Rows } from "../../segment/rows.js";
import { actorOf } from "../../segment/who.js";
import { ranking } from "../../answer/ranked-items.js";
import { selectedRows } from "../../filter/selected-rows.js";
import type { Values } from "./value-sources.js";

/** Actors are below it: twice a code, of which there are 2^24, and one. Values are below 2^28, so that a pair of both is an exact number. */
const ACTOR_SPAN = 2 ** 25;

/** Distinct pairs (code, actor) of each source, as one number each, ascending: 8 bytes a pair. */
type Pairs = readonly Float64Array[];

/** Distinct people by the value of a field or of a metadata path. Segments give ids; who is who is asked once, at the end. */
export class UsersByValue {
  /** Of each source those of several segments, or kept. */
  readonly #lists: Float64Array[][];

  constructor(
    readonly values: Values,
    /** Names the codes of the values; null where these are this question's own. */
    readonly name: string | null,
  ) {
    this.#lists = values.sources.map(() => []);
  }

  scan(rows: Rows, selector: Selector): void {
    const make = () => pairsOf(rows, selector, this.values);
    const isKept = this.name !== null && selector.key !== null && isWhole(rows, selector);
    this.addKept(isKept ? rows.derive(`users by ${this.name} ${selector.key}`, make, byteLengthOfPairs) : make());
  }

  async keep(pause: () => Promise<void>): Promise<Pairs> {
    const turns = new Turns(undefined, pause);
    const pairs: Float64Array[] = [];
    for (const lists of this.#lists) pairs.push(await united(lists, turns));
    return pairs;
  }

  addKept(pairs: Pairs): void {
    pairs.forEach((list, place) => this.#lists[place]!.push(list));
  }

  /** Values of which nobody is known to have had any are left out. */
  async ranked(limit: number | null, identities: IdentityView, pause: () => Promise<void>): Promise<AggregateItem[]> {
    const { values } = this;
    const keys: number[] = [];
    for (const [place, pairs] of (await this.keep(pause)).entries()) {
      let code = -1;
      let groups: readonly number[] = [];
      await inPieces(pairs.length, pause, (from, to) => {
        for (let at = from; at < to; at += 1) {
          const next = Math.floor(pairs[at]! / ACTOR_SPAN);
          // Of one code the pairs are neighbours.
          if (next !== code) groups = values.groupsOf(place, (code = next));
          const identity = identities.identityOf(pairs[at]! - code * ACTOR_SPAN);
          for (const group of groups) keys.push(group * ACTOR_SPAN + identity);
        }
      });
    }
    const { groups, counts } = await sizesOfGroups(await distinctInTurns(Float64Array.from(keys), new Turns(undefined, pause)), pause);
    return await inTurns(ranking(counts, { propertyOf: (place) => values.propertyOf(groups[place]!) }, limit), pause);
  }
}

/** How many keys there are of each group, of distinct ascending keys. */
async function sizesOfGroups(keys: Float64Array, pause: () => Promise<void>): Promise<{ groups: Float64Array; counts: Uint32Array }> {
  const groups = new Float64Array(keys.length);
  const counts = new Uint32Array(keys.length);
  let count = 0;
  await inPieces(keys.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const group = Math.floor(keys[at]! / ACTOR_SPAN);
      if (count === 0 || groups[count - 1] !== group) {
        groups[count] = group;
        count += 1;
      }
      counts[count - 1]! += 1;
    }
  });
  return { groups: groups.subarray(0, count), counts: counts.slice(0, count) };
}

export function byteLengthOfPairs(pairs: Pairs): number {
  return pairs.reduce((sum, { byteLength }) => sum + byteLength, 8);
}

function pairsOf(rows: Rows, selector: Selector, { sources }: Values): Pairs {
  const selected = selectedRows(select(rows, selector));
  const columns = sources.map((source) => source.codesOf(rows, selected));
  const [users, anonymous] = [denseCodes(rows.column("userId")), denseCodes(rows.column("anonymousId"))];
  const lists = sources.map(() => new Float64Array(selected.length));
  const ends = sources.map(() => 0);
  const last = columns.length - 1;
  for (let at = 0; at < selected.length; at += 1) {
    const row = selected[at]!;
    const actor = actorOf(users[row]!, anonymous[row]!);
    if (actor === 0) continue;
    let place = 0;
    let code = codeAt(columns[0]!, row);
    while (code === 0 && place < last) {
      place += 1;
      code = codeAt(columns[place]!, row);
    }
    const pair = code * ACTOR_SPAN + actor;
    const end = ends[place]!;
    // Somebody's events mostly follow one another.
    if (end > 0 && lists[place]![end - 1] === pair) continue;
    lists[place]![end] = pair;
    ends[place] = end + 1;
  }
  return lists.map((list, place) => distinct(list.slice(0, ends[place])));
}

async function united(lists: readonly Float64Array[], turns: Turns): Promise<Float64Array> {
  const [only, ...others] = lists;
  if (only !== undefined && others.length === 0) return only;
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return await distinctInTurns(all, turns);
}

/** The distinct ones of some numbers, ascending. The list may be sorted in place. */
async function distinctInTurns(list: Float64Array, turns: Turns): Promise<Float64Array> {
  const sorted = await sortNumbers(list, turns);
  let count = 0;
  await turns.inPieces(sorted.length, (from, to) => (count = putDistinct(sorted, count, from, to)));
  return sorted.slice(0, count);
}

/** The same of the few of one segment. */
function distinct(list: Float64Array): Float64Array {
  return list.sort().slice(0, putDistinct(list, 0, 0, list.length));
}

/** Puts those of `[from, to)` that differ from the one before behind the first `count`; answers how many there are now. */
function putDistinct(sorted: Float64Array, count: number, from: number, to: number): number {
  let end = count;
  for (let at = from; at < to; at += 1) {
    if (end > 0 && sorted[at] === sorted[end - 1]) continue;
    sorted[end] = sorted[at]!;
    end += 1;
  }
  return end;
}
