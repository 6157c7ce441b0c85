/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes are bounded by their source */
import { LIMITS } from "../../../core/base/limits.js";
import type { AggregatePlan } from "../../plan/plan.js";
import { ID_COLUMN, PROJECT_COLUMN } from "../../../core/schema/fields.js";
import { ACTOR_COLUMNS, actorOf } from "../../../storage/segment/summaries.js";
import { histogramOfRows, type CodeColumn, type Histogram, denseCodes } from "../../../storage/column/column.js";
import { runYielding, Yielder, inPieces } from "../../../core/base/yield.js";
import { FirstValue, isWhole, select, selectedRows, type Selector } from "../../filter/select.js";
import type { AggregateItem } from "../../plan/input.js";
import { knownMax, type Rows } from "../../../storage/segment/rows.js";
import { rankedYielding, ranking, type Ranked } from "../../answer/ranked-items.js";
import { concat, sortNumbers } from "../../../core/base/arrays.js";
import type { IdentityView } from "../../../identity/identity-view.js";
import { onePass, type CachedState, type Pass, type Report, type RowContext, type Selectors } from "../form/report.js";
import { histogram } from "../events/counts.js";
import { EventsById, CodeCounts } from "./code-counts.js";
import { idValues, valuesOf, type AggregateValues } from "./value-sources.js";

/** Exclusive upper bound of actors (2 × code + role, with codes below 2^24). Values are below 2^28, so a pair of both is an exact number. */
const ACTOR_SPAN = 2 ** 25;

/** The distinct (code, actor) pairs of each source, one number each, ascending: 8 bytes per pair. */
type Pairs = readonly Float64Array[];

/** Counts distinct people by the value of a field or metadata path. Segments provide actors; identities are resolved once, at the end. */
class UsersByValue {
  /** By source: the pairs of several segments, or cached pairs. */
  readonly #lists: Float64Array[][];

  constructor(
    readonly values: AggregateValues,
    /** Identifies the codes of the values across queries; null if they are specific to this query. */
    readonly name: string | null,
  ) {
    this.#lists = values.sources.map(() => []);
  }

  scan(rows: Rows, selector: Selector): void {
    const make = () => pairsOf(rows, selector, this.values);
    const isCached = this.name !== null && selector.key !== null && isWhole(rows, selector);
    this.addCached(isCached ? rows.derive(`users by ${this.name} ${selector.key}`, make, byteLengthOfPairs) : make());
  }

  async united(pause: () => Promise<void>): Promise<Pairs> {
    const yielder = new Yielder(undefined, pause);
    const pairs: Float64Array[] = [];
    for (const lists of this.#lists) pairs.push(await united(lists, yielder));
    return pairs;
  }

  addCached(pairs: Pairs): void {
    pairs.forEach((list, place) => this.#lists[place]!.push(list));
  }

  /** Values that occur only in events without an actor are left out. */
  async ranked(limit: number | null, identities: IdentityView, pause: () => Promise<void>): Promise<AggregateItem[]> {
    const { values } = this;
    const keys: number[] = [];
    for (const [place, pairs] of (await this.united(pause)).entries()) {
      let code = -1;
      let groups: readonly number[] = [];
      await inPieces(pairs.length, pause, (from, to) => {
        for (let at = from; at < to; at += 1) {
          const next = Math.floor(pairs[at]! / ACTOR_SPAN);
          // Pairs of one code are adjacent.
          if (next !== code) groups = values.groupsOf(place, (code = next));
          const identity = identities.identityOf(pairs[at]! - code * ACTOR_SPAN);
          for (const group of groups) keys.push(group * ACTOR_SPAN + identity);
        }
      });
    }
    const { groups, counts } = await sizesOfGroups(await distinctYielding(Float64Array.from(keys), new Yielder(undefined, pause)), pause);
    return await rankedYielding(counts, (place) => values.propertyOf(groups[place]!), limit, pause);
  }
}

/** The distinct groups, and the number of keys of each. @param keys distinct, ascending */
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
  const value = new FirstValue(sources.map((source) => source.codesOf(rows, selected)));
  const [users, anonymous] = [denseCodes(rows.column("userId")), denseCodes(rows.column("anonymousId"))];
  const lists = sources.map(() => new Float64Array(selected.length));
  const ends = sources.map(() => 0);
  for (let at = 0; at < selected.length; at += 1) {
    const row = selected[at]!;
    const actor = actorOf(users[row]!, anonymous[row]!);
    if (actor === 0) continue;
    const pair = value.codeOf(row) * ACTOR_SPAN + actor;
    const { place } = value;
    const end = ends[place]!;
    // Events of one person are mostly adjacent.
    if (end > 0 && lists[place]![end - 1] === pair) continue;
    lists[place]![end] = pair;
    ends[place] = end + 1;
  }
  return lists.map((list, place) => distinct(list.slice(0, ends[place])));
}

async function united(lists: readonly Float64Array[], yielder: Yielder): Promise<Float64Array> {
  const [only, ...others] = lists;
  if (only !== undefined && others.length === 0) return only;
  return await distinctYielding(concat(lists, (length) => new Float64Array(length)), yielder);
}

/** The distinct numbers of a list, ascending. May sort the list in place. */
async function distinctYielding(list: Float64Array, yielder: Yielder): Promise<Float64Array> {
  const sorted = await sortNumbers(list, yielder);
  let count = 0;
  await yielder.inPieces(sorted.length, (from, to) => (count = putDistinct(sorted, count, from, to)));
  return sorted.slice(0, count);
}

/** Synchronous variant of `distinctYielding` for the pairs of one segment, which are few. */
function distinct(list: Float64Array): Float64Array {
  return list.sort().slice(0, putDistinct(list, 0, 0, list.length));
}

/** Moves the values of `[from, to)` that differ from their predecessor to index `count` and up; returns the new count. */
function putDistinct(sorted: Float64Array, count: number, from: number, to: number): number {
  let end = count;
  for (let at = from; at < to; at += 1) {
    if (end > 0 && sorted[at] === sorted[end - 1]) continue;
    sorted[end] = sorted[at]!;
    end += 1;
  }
  return end;
}

/** The cached counts of whole segments, by source: for every code, or only for codes that occur. */
type CachedCounts = readonly Histogram[];

/** Codes whose texts are read per step. */
const CODES_PER_STEP = 4_096;

class EventsByValue {
  /** By source, then by code. 32 bits suffice: a store holds fewer events. */
  readonly #counts: readonly CodeCounts[];

  constructor(readonly values: AggregateValues) {
    this.#counts = values.sources.map(({ size }) => new CodeCounts(size));
  }

  scan(rows: Rows, selector: Selector): void {
    const { sources } = this.values;
    const [only, ...others] = sources;
    if (only === undefined) return;
    if (others.length === 0 && only.column !== null && selector.key !== null && isWhole(rows, selector) && rows.immutable)
      return this.#counts[0]!.addHistogram(selectedHistogram(rows, only.column, selector));
    const selected = selectedRows(select(rows, selector));
    const columns = sources.map((source) => source.codesOf(rows, selected));
    this.#makeRoom();
    if (others.length === 0) this.#counts[0]!.addRows(columns[0]!, selected);
    else addChain(this.#counts, columns, selected);
  }

  histograms(): CachedCounts {
    return this.#counts.map((counts) => counts.histogram());
  }

  addCached(cached: CachedCounts): void {
    this.#makeRoom();
    cached.forEach((histogram, place) => this.#counts[place]!.addHistogram(histogram));
  }

  /** Cost: the codes with a count; if there are many, all codes. @param pause yields; what it throws ends the query */
  async ranked(limit: number | null, pause: () => Promise<void>): Promise<AggregateItem[]> {
    const { values } = this;
    const rank = (counts: Uint32Array, ranked: Ranked) => runYielding(ranking(counts, ranked, limit), pause);
    const propertyOf = (group: number) => values.propertyOf(group);
    if (values.distinct !== undefined) {
      const counted = this.#counts[0]!;
      const { few } = counted;
      if (few === null && limit === null) await values.distinct.prepareOrder?.(counted.codeCount, new Yielder(undefined, pause));
      await pause();
      if (few === null) return await rank(counted.all, { propertyOf, placesInOrder: values.distinct.placesInOrder });
      const ordered = limit === null ? (values.distinct.sortedCodesOf?.(few) ?? null) : null;
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
      await inPieces(codes.length, pause, add, CODES_PER_STEP);
    }
    const { codes: groups, counts } = totals.histogram();
    return await rankedYielding(counts, (place) => propertyOf(groups[place]!), limit, pause);
  }

  /** Derived codes grow in number while rows are read. */
  #makeRoom(): void {
    this.values.sources.forEach(({ size }, place) => this.#counts[place]!.makeRoom(size));
  }
}

function byteLengthOfCounts(cached: CachedCounts): number {
  return cached.reduce((sum, { codes }) => sum + codes.byteLength * 2, 8);
}

/** Counts selected rows by code, cached with a sealed segment that lies entirely in the range. */
function selectedHistogram(rows: Rows, column: string, selector: Selector): Histogram {
  if (selector.key === "") return histogram(rows, column);
  const make = () => histogramOfRows(rows.column(column), selectedRows(select(rows, selector)), knownMax(rows, column));
  return rows.derive(`histogram ${column} ${selector.key}`, make, ({ codes }) => codes.byteLength * 2);
}

function addChain(counts: readonly CodeCounts[], columns: readonly CodeColumn[], selected: Uint32Array): void {
  const value = new FirstValue(columns);
  for (let at = 0; at < selected.length; at += 1) {
    const code = value.codeOf(selected[at]!);
    counts[value.place]!.add(code, 1);
  }
}

/** Counts matching events, or the people who did them, by the value of a field or metadata path, most first. */
export const aggregate: Report<AggregatePlan, readonly AggregateItem[]> = {
  prepare: (plan, context) => {
    const { measure, limit } = plan;
    const values = valuesOfPlan(plan, context);
    const columns = [...(values?.sources.flatMap((source) => source.columns) ?? [ID_COLUMN]), ...(measure === "unique_users" ? ACTOR_COLUMNS : [])];
    const scan = (counted: EventsById | EventsByValue | UsersByValue, rows: Rows, [selector]: Selectors) => counted.scan(rows, selector);
    const part = { scopes: [plan], columns, scan };
    if (values === null) {
      const pass: Pass<EventsById> = { ...part, begin: () => new EventsById(limit, measure === "unique_users") };
      return onePass(pass, (events) => events.ranked(context.pause));
    }
    const name = nameOf(values);
    const cachedAs = <S, T>(cached: Omit<CachedState<S, T>, "key">) => (name === null ? {} : { cached: { ...cached, key: `${plan.report} ${measure} ${name}` } });
    if (measure === "events") {
      const pass: Pass<EventsByValue, CachedCounts> = {
        ...part,
        begin: () => new EventsByValue(values),
        ...cachedAs({ of: (events) => events.histograms(), add: (events, cached) => events.addCached(cached), byteLength: byteLengthOfCounts }),
      };
      return onePass(pass, (events) => events.ranked(limit, context.pause));
    }
    const pass: Pass<UsersByValue, Pairs> = {
      ...part,
      begin: () => new UsersByValue(values, name),
      ...cachedAs({ of: (users, pause) => users.united(pause), add: (users, cached) => users.addCached(cached), byteLength: byteLengthOfPairs }),
    };
    return onePass(pass, (users) => users.ranked(limit, context.identities, context.pause));
  },
};

/** Size of a dictionary with one value: code 0 stands for none. */
const ONE_PROJECT_SIZE = 2;

/** Null: ids of a single project, which are unique. */
function valuesOfPlan({ by, project, limit }: AggregatePlan, context: RowContext): AggregateValues | null {
  if (by.kind !== "id") return valuesOf(by, context);
  if (project !== null || context.dictionaries.named(PROJECT_COLUMN).size <= ONE_PROJECT_SIZE) return null;
  // With a limit, more distinct ids are allowed, because only a few are shown.
  return limit === null ? valuesOf(by, context) : idValues(LIMITS.dictionaryValueCount);
}

/** The combined name of the codes of all sources; null if some of them are specific to this query. */
function nameOf({ sources }: AggregateValues): string | null {
  return sources.some(({ name }) => name === null) ? null : sources.map(({ name }) => name).join();
}
