/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes are bounded by their source */
import { assert } from "../../base/assert.js";
import { LIMITS } from "../../base/limits.js";
import type { Plan } from "../../plan/plan.js";
import { ID_COLUMN, PROJECT_COLUMN } from "../../schema/fields.js";
import { ACTOR_COLUMNS, actorOf } from "../../segment/who.js";
import { codeAt, histogramOfRows, type CodeColumn, type Histogram, denseCodes } from "../../column/column.js";
import { inTurns, piecesOf } from "../../base/steps.js";
import { Turns } from "../../base/turn.js";
import type { Selector } from "../../filter/predicate.js";
import { isWhole, select } from "../../filter/select.js";
import type { AggregateItem } from "../../plan/input.js";
import type { Rows } from "../../segment/rows.js";
import { rankedInTurns, ranking, type Ranked } from "../../answer/ranked-items.js";
import { selectedRows } from "../../filter/selected-rows.js";
import { inPieces } from "../../base/in-pieces.js";
import { sortNumbers } from "../../base/sort-numbers.js";
import type { IdentityView } from "../../identity/identity-view.js";
import type { Fold, FoldContext } from "../form/report.js";
import { histogram } from "../events/count-rows.js";
import { EventsById } from "./events-by-id.js";
import { idValues, valuesOf, type AggregateValues } from "./value-sources.js";
import { CodeCounts } from "./code-counts.js";

/** Actors are below it: twice a code, of which there are 2^24, and one. Values are below 2^28, so that a pair of both is an exact number. */
const ACTOR_SPAN = 2 ** 25;

/** Distinct pairs (code, actor) of each source, as one number each, ascending: 8 bytes a pair. */
type Pairs = readonly Float64Array[];

/** Distinct people by the value of a field or of a metadata path. Segments give ids; who is who is asked once, at the end. */
class UsersByValue {
  /** Of each source those of several segments, or kept. */
  readonly #lists: Float64Array[][];

  constructor(
    readonly values: AggregateValues,
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
    return await rankedInTurns(counts, (place) => values.propertyOf(groups[place]!), limit, pause);
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

function byteLengthOfPairs(pairs: Pairs): number {
  return pairs.reduce((sum, { byteLength }) => sum + byteLength, 8);
}

function pairsOf(rows: Rows, selector: Selector, { sources }: AggregateValues): Pairs {
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

/** What whole segments contribute: counts of every code, or only of those that some row has, source by source. */
type KeptCounts = readonly Histogram[];

/** Codes whose texts are looked at in one step. */
const CODES_PER_STEP = 4_096;

/** Events by the value of a field or of a metadata path. */
class EventsByValue {
  /** Source by source, by code: a store holds fewer events than a count can. */
  readonly #counts: readonly CodeCounts[];

  constructor(readonly values: AggregateValues) {
    this.#counts = values.sources.map(({ size }) => new CodeCounts(size));
  }

  scan(rows: Rows, selector: Selector): void {
    const { sources } = this.values;
    const [only, ...others] = sources;
    if (only === undefined) return;
    if (others.length === 0 && only.column !== null && selector.key !== null && isWhole(rows, selector) && rows.settled)
      return this.#counts[0]!.addHistogram(selectedHistogram(rows, only.column, selector));
    const selected = selectedRows(select(rows, selector));
    const columns = sources.map((source) => source.codesOf(rows, selected));
    this.#makeRoom();
    if (others.length === 0) this.#counts[0]!.addRows(columns[0]!, selected);
    else addChain(this.#counts, columns, selected);
  }

  keep(): KeptCounts {
    return this.#counts.map((counts) => counts.histogram());
  }

  addKept(kept: KeptCounts): void {
    this.#makeRoom();
    kept.forEach((histogram, place) => this.#counts[place]!.addHistogram(histogram));
  }

  /** Cost: the codes that have a count; where they are many, all codes. @param pause gives others a turn, and ends the question by what it throws */
  async ranked(limit: number | null, pause: () => Promise<void>): Promise<AggregateItem[]> {
    const { values } = this;
    const rank = (counts: Uint32Array, ranked: Ranked) => inTurns(ranking(counts, ranked, limit), pause);
    const propertyOf = (group: number) => values.propertyOf(group);
    if (values.distinct !== undefined) {
      const counted = this.#counts[0]!;
      const { few } = counted;
      if (few === null && limit === null) await values.distinct.prepareOrder?.(counted.codeCount, new Turns(undefined, pause));
      await pause();
      if (few === null) return await rank(counted.all, { propertyOf, placesInOrder: values.distinct.placesInOrder });
      const ordered = limit === null ? (values.distinct.fewInOrder?.(few) ?? null) : null;
      if (ordered === null) return await rank(few.map((code) => counted.all[code]!), { propertyOf: (place) => propertyOf(few[place]!) });
      const places = ordered.map((_, place) => place);
      return await rank(ordered.map((code) => counted.all[code]!), { propertyOf: (place) => propertyOf(ordered[place]!), placesInOrder: () => places });
    }
    const totals = new CodeCounts(1024);
    for (const [place, counted] of this.#counts.entries()) {
      const { codes, counts } = counted.histogram();
      const add = (from: number, to: number) => {
        for (let at = from; at < to; at += 1)
          for (const group of values.groupsOf(place, codes[at]!)) {
            totals.makeRoom(group + 1);
            totals.add(group, counts[at]!);
          }
      };
      await inTurns(piecesOf(codes.length, CODES_PER_STEP, add), pause);
    }
    const { codes: groups, counts } = totals.histogram();
    return await rankedInTurns(counts, (place) => propertyOf(groups[place]!), limit, pause);
  }

  /** Codes that are worked out become more while rows are looked at. */
  #makeRoom(): void {
    this.values.sources.forEach(({ size }, place) => this.#counts[place]!.makeRoom(size));
  }
}

function byteLengthOfCounts(kept: KeptCounts): number {
  return kept.reduce((sum, { codes }) => sum + codes.byteLength * 2, 8);
}

/** Selected rows by code, kept with a sealed segment that lies wholly in the range. */
function selectedHistogram(rows: Rows, column: string, selector: Selector): Histogram {
  if (selector.key === "") return histogram(rows, column);
  const make = () => histogramOfRows(rows.column(column), selectedRows(select(rows, selector)));
  return rows.derive(`histogram ${column} ${selector.key}`, make, ({ codes }) => codes.byteLength * 2);
}

function addChain(counts: readonly CodeCounts[], columns: readonly CodeColumn[], selected: Uint32Array): void {
  const last = columns.length - 1;
  for (let at = 0; at < selected.length; at += 1) {
    let place = 0;
    let code = codeAt(columns[0]!, selected[at]!);
    while (code === 0 && place < last) {
      place += 1;
      code = codeAt(columns[place]!, selected[at]!);
    }
    counts[place]!.add(code, 1);
  }
}

type AggregateState =
  | { readonly measure: "ids"; readonly by: EventsById }
  | { readonly measure: "events"; readonly by: EventsByValue }
  | { readonly measure: "unique_users"; readonly by: UsersByValue };

type KeptAggregate =
  | { readonly measure: "events"; readonly kept: ReturnType<EventsByValue["keep"]> }
  | { readonly measure: "unique_users"; readonly kept: Awaited<ReturnType<UsersByValue["keep"]>> };

/** Matching events, or the people who did them, by the value of a field or of a metadata path, most first. */
export const aggregate: Fold<"aggregate", AggregateState, KeptAggregate> = {
  kind: "fold",
  columns: (plan, context) => [
    ...(settledValues(plan, context)?.sources.flatMap(({ columns }) => columns) ?? [ID_COLUMN]),
    ...(plan.measure === "unique_users" ? ACTOR_COLUMNS : []),
  ],
  begin: (plan, context) => {
    const values = settledValues(plan, context);
    if (values === null) return { measure: "ids", by: new EventsById(plan.limit, plan.measure === "unique_users") };
    if (plan.measure === "events") return { measure: "events", by: new EventsByValue(values) };
    return { measure: "unique_users", by: new UsersByValue(values, nameOf(values)) };
  },
  scan: (state, rows, { selector }) => {
    state.by.scan(rows, selector);
  },
  finish: (state, plan, { identities }, pause) => {
    if (state.measure === "ids") return state.by.ranked(pause);
    return state.measure === "events" ? state.by.ranked(plan.limit, pause) : state.by.ranked(plan.limit, identities, pause);
  },
  kept: {
    key: (plan, context) => {
      const values = settledValues(plan, context);
      const name = values === null ? null : nameOf(values);
      return name === null ? null : `${plan.measure} ${name}`;
    },
    of: async (state, pause) => {
      assert(state.measure !== "ids", "what has no key is not kept");
      return state.measure === "events" ? { measure: "events", kept: state.by.keep() } : { measure: "unique_users", kept: await state.by.keep(pause) };
    },
    add: (state, known) => {
      if (state.measure === "events" && known.measure === "events") state.by.addKept(known.kept);
      if (state.measure === "unique_users" && known.measure === "unique_users") state.by.addKept(known.kept);
    },
    byteLength: (known) => (known.measure === "events" ? byteLengthOfCounts(known.kept) : byteLengthOfPairs(known.kept)),
  },
};

/** Of a dictionary with one value: its first code stands for none. */
const ONE_PROJECT_SIZE = 2;

const settled = new WeakMap<FoldContext, AggregateValues>();

/** The same for all states of one question, however many values and keys arrive meanwhile; null: ids of one project, which no two events share. */
function settledValues({ by, project, limit }: Plan<"aggregate">, context: FoldContext): AggregateValues | null {
  if (by.kind === "id" && (project !== null || context.dictionaries.named(PROJECT_COLUMN).size <= ONE_PROJECT_SIZE)) return null;
  let values = settled.get(context);
  // Of many ids a few may be shown.
  if (values === undefined) settled.set(context, (values = by.kind === "id" && limit !== null ? idValues(LIMITS.dictionaryValueCount) : valuesOf(by, context)));
  return values;
}

/** Names the codes of all sources; null where some of them are one question's own. */
function nameOf({ sources }: AggregateValues): string | null {
  return sources.some(({ name }) => name === null) ? null : sources.map(({ name }) => name).join();
}
