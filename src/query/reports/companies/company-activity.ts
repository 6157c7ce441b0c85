/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { grown } from "../../../core/base/arrays.js";
import { RankedBits, type BitSet } from "../../../storage/column/bitmap.js";
import { runAtOnce, runYielding, piecesOf, type Steps } from "../../../core/base/yield.js";
import { dayStartMs } from "../../../core/base/time.js";
import { Scratch } from "../../../core/base/scratch.js";
import { wideCodes } from "../../../storage/column/codes.js";
import { denseCodes } from "../../../storage/column/column.js";
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";
import { selectedRows, isWhole, select } from "../../filter/select.js";
import type { CompanyTopUsersPlan, Range, TopCompaniesPlan } from "../../plan/plan.js";
import { TIME_COLUMN } from "../../../core/schema/fields.js";
import { wasRequested, type Rows } from "../../../storage/segment/rows.js";
import { ACTOR_COLUMNS, actorOf } from "../../../storage/segment/summaries.js";
import type { Pass } from "../form/report.js";
import type { TableSnapshot } from "../../tables/tables.js";

/** Exclusive upper bound of company codes. */
const COMPANY_SPAN = 2 ** 24;

/** Event count and latest event by pair of an actor or identity (0: none) and a company (0: none): 20 bytes per pair. */
export interface Activity {
  readonly actors: Uint32Array;
  readonly companies: Uint32Array;
  readonly eventCounts: Uint32Array;
  /** Epoch ms. */
  readonly newestMs: Float64Array;
  /** Absent: the pairs are unordered. */
  readonly groups?: ActivityGroups;
}

/** The order of pairs: those without a company by actor, then those of each company. */
interface ActivityGroups {
  /** The actors of the pairs without a company; an actor's rank is the index of its pair. */
  readonly plain: RankedBits;
  /** Start index of each company's pairs, from company 1 on, and the end of the last one's. */
  readonly starts: Uint32Array;
}

/** An actor or identity and a company as one number. */
export function pairOf(actor: number, company: number): number {
  return actor * COMPANY_SPAN + company;
}

/** Index + 1 of the first pair of each actor or identity, 0 for none. Split by role: if all numbers are even, odd ones take no space. */
type Firsts = [users: Uint32Array, anonymous: Uint32Array];

// One shared, zeroed scratch array; null while a table uses it, so that a second table allocates its own.
let spare: Firsts | null = null;

/** Sums up pairs, in order of first occurrence. Almost every actor has a single pair, which is found without hashing. */
export class ActivityTable {
  readonly #firsts: Firsts = spare ?? [new Uint32Array(1024), new Uint32Array(1024)];
  #actors: Uint32Array;
  #companies: Uint32Array;
  #eventCounts: Uint32Array;
  #newestMs: Float64Array;
  #count = 0;
  readonly #others = new Map<number, number>();

  /** @param capacity number of pairs before the table grows */
  constructor(capacity = 1024) {
    spare = null;
    this.#actors = new Uint32Array(capacity);
    this.#companies = new Uint32Array(capacity);
    this.#eventCounts = new Uint32Array(capacity);
    this.#newestMs = new Float64Array(capacity);
  }

  add(actor: number, company: number, eventCount: number, newestMs: number): void {
    const place = this.#placeOf(actor, company);
    this.#eventCounts[place]! += eventCount;
    if (newestMs > this.#newestMs[place]!) this.#newestMs[place] = newestMs;
  }

  /** Returns all pairs. Do not use the table afterwards. */
  take(): Activity {
    const count = this.#count;
    const firsts = this.#firsts;
    for (let place = 0; place < count; place += 1) firsts[roleOf(this.#actors[place]!)][this.#actors[place]! >>> 1] = 0;
    spare = firsts;
    return {
      actors: this.#actors.slice(0, count),
      companies: this.#companies.slice(0, count),
      eventCounts: this.#eventCounts.slice(0, count),
      newestMs: this.#newestMs.slice(0, count),
    };
  }

  #placeOf(actor: number, company: number): number {
    const role = roleOf(actor);
    const firsts = this.#firsts;
    if (actor >>> 1 >= firsts[role].length) firsts[role] = grown(firsts[role], 2 ** Math.ceil(Math.log2((actor >>> 1) + 1)));
    const first = firsts[role][actor >>> 1]! - 1;
    if (first !== -1 && this.#companies[first] === company) return first;
    const other = first === -1 ? undefined : this.#others.get(pairOf(actor, company));
    return other ?? this.#addPair(actor, company, first === -1);
  }

  #addPair(actor: number, company: number, isFirst: boolean): number {
    const place = this.#count;
    if (place === this.#actors.length) this.#growPairs();
    if (isFirst) this.#firsts[roleOf(actor)][actor >>> 1] = place + 1;
    else this.#others.set(pairOf(actor, company), place);
    this.#actors[place] = actor;
    this.#companies[place] = company;
    this.#eventCounts[place] = 0;
    this.#newestMs[place] = 0;
    this.#count = place + 1;
    return place;
  }

  #growPairs(): void {
    const capacity = Math.max(1024, this.#actors.length * 4);
    this.#actors = grown(this.#actors, capacity);
    this.#companies = grown(this.#companies, capacity);
    this.#eventCounts = grown(this.#eventCounts, capacity);
    this.#newestMs = grown(this.#newestMs, capacity);
  }
}

function roleOf(actor: number): 0 | 1 {
  return (actor & 1) === 0 ? 0 : 1;
}

/** One event within a window of an identity with several companies. */
export interface MixedEvent {
  readonly identity: number;
  readonly company: number;
  readonly ms: number;
}

/** @param company 0: the event names none */
type EventVisitor = (actor: number, company: number, ms: number) => void;

export interface FoundActivity {
  readonly parts: Activity[];
  /** Takes events whose pairs are not cached; null in the state that a span caches. */
  readonly visit: EventVisitor | null;
}

/**
 * Activity within a window, by the company that events name themselves: independent of links and memberships. The pairs of whole sealed segments and
 * of spans are cached from the second query on: visiting their events once costs less than making pairs. Cost: about 10 ns per row.
 */
export function activityPass(plan: TopCompaniesPlan | CompanyTopUsersPlan, visit: EventVisitor): Pass<FoundActivity, Activity> {
  return {
    scopes: [plan],
    columns: [TIME_COLUMN, ...ACTOR_COLUMNS, "companyId"],
    begin: () => ({ parts: [], visit }),
    scan: (state, rows, [selector]) => {
      const isAll = isWhole(rows, selector);
      if (state.visit === null || (isAll && wasRequested(rows, "activity"))) state.parts.push(rows.derive("activity", () => runAtOnce(grouped(activityOf(rows))), byteLengthOf));
      else eachEvent(rows, isAll ? null : selectedRows(select(rows, selector)), state.visit);
    },
    cached: {
      key: `${plan.report} `,
      beginRepeated: () => ({ parts: [], visit: null }),
      of: ({ parts }, pause) => runYielding(joinedActivity(parts), pause),
      add: ({ parts }, cached) => void parts.push(cached),
      byteLength: byteLengthOf,
    },
  };
}

function byteLengthOf({ actors, groups }: Activity): number {
  return actors.length * 20 + (groups === undefined ? 0 : groups.plain.byteLength + groups.starts.byteLength);
}

function activityOf(rows: Rows): Activity {
  const table = new ActivityTable();
  eachEvent(rows, null, (actor, company, ms) => table.add(actor, company, 1, ms));
  return table.take();
}

/** Visits the events that have an actor or name a company. @param selected null: all rows */
function eachEvent(rows: Rows, selected: Uint32Array | null, visit: EventVisitor): void {
  Scratch.atOnce((scratch) => {
    const codesOf = (name: string) => (rows.zone(name) === null ? null : wideCodes(denseCodes(rows.column(name)), scratch));
    const [users, anonymous, companies] = [codesOf("userId"), codesOf("anonymousId"), codesOf("companyId")];
    const times = rows.times();
    const startMs = dayStartMs(rows.day);
    const count = selected === null ? rows.rowCount : selected.length;
    for (let at = 0; at < count; at += 1) {
      const row = selected === null ? at : selected[at]!;
      const actor = actorOf(users === null ? 0 : users[row]!, anonymous === null ? 0 : anonymous[row]!);
      const company = companies === null ? 0 : companies[row]!;
      if (actor !== 0 || company !== 0) visit(actor, company, startMs + times[row]!);
    }
  });
}

export function* joinedActivity(parts: readonly Activity[]): Steps<Activity> {
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) return only.groups === undefined ? yield* grouped(only) : only;
  const table = new ActivityTable(parts.reduce((sum, { actors }) => sum + actors.length, 0));
  for (const { actors, companies, eventCounts, newestMs } of parts)
    yield* piecesOf(actors.length, PAIRS_PER_STEP, (from, to) => {
      for (let at = from; at < to; at += 1) table.add(actors[at]!, companies[at]!, eventCounts[at]!, newestMs[at]!);
    });
  const all = table.take();
  yield;
  return yield* grouped(all);
}

/** Pairs summed up or grouped per step: a few milliseconds. */
const PAIRS_PER_STEP = 32_768;

/** Maximum bits per pair at which grouping is worthwhile: it takes a bit per actor number without a company. */
const BITS_PER_PAIR = 256;

/** Groups pairs, so that a query about one company reads only its pairs and those of its members. Cost: a few reads per pair. */
function* grouped(activity: Activity): Steps<Activity> {
  const count = activity.actors.length;
  const [greatestActor, greatestCompany] = greatestOf(activity);
  if (greatestActor + greatestCompany > count * BITS_PER_PAIR) return activity;
  yield;
  const groups = groupsOf(activity, greatestActor, greatestCompany);
  yield;
  const ends = groups.starts.slice();
  const into = { actors: new Uint32Array(count), companies: new Uint32Array(count), eventCounts: new Uint32Array(count), newestMs: new Float64Array(count) };
  yield* piecesOf(count, PAIRS_PER_STEP, (from, to) => putPairs(activity, from, to, groups.plain, ends, into));
  return { ...into, groups };
}

/** The greatest actor without a company, and the greatest company. */
function greatestOf({ actors, companies }: Activity): [actor: number, company: number] {
  let [greatestActor, greatestCompany] = [0, 0];
  for (let at = 0; at < actors.length; at += 1) {
    if (companies[at]! > greatestCompany) greatestCompany = companies[at]!;
    if (companies[at] === 0 && actors[at]! > greatestActor) greatestActor = actors[at]!;
  }
  return [greatestActor, greatestCompany];
}

function groupsOf({ actors, companies }: Activity, greatestActor: number, greatestCompany: number): ActivityGroups {
  const words = new Uint32Array((greatestActor >>> 5) + 1);
  const starts = new Uint32Array(greatestCompany + 1);
  for (let at = 0; at < actors.length; at += 1) {
    if (companies[at] === 0) words[actors[at]! >>> 5]! |= 1 << (actors[at]! & 31);
    else starts[companies[at]!]! += 1;
  }
  const plain = new RankedBits(words);
  starts[0] = plain.count;
  for (let company = 1; company < starts.length; company += 1) starts[company]! += starts[company - 1]!;
  return { plain, starts };
}

/** @param ends by company - 1: index of its next pair */
function putPairs({ actors, companies, eventCounts, newestMs }: Activity, from: number, to: number, plain: RankedBits, ends: Uint32Array, into: Activity): void {
  for (let at = from; at < to; at += 1) {
    const company = companies[at]!;
    const place = company === 0 ? plain.rankOf(actors[at]!) : ends[company - 1]!;
    if (company > 0) ends[company - 1] = place + 1;
    into.actors[place] = actors[at]!;
    into.companies[place] = company;
    into.eventCounts[place] = eventCounts[at]!;
    into.newestMs[place] = newestMs[at]!;
  }
}

/** Events within a window, without a company of their own, of identities that had several; null if rows have to be read first. */
export function mixedEventsOf(window: Range, moment: TableSnapshot, pending: PendingLoads): MixedEvent[] | null {
  const { companies } = moment;
  if (companies?.hasChanges !== true) return [];
  const found: MixedEvent[] = [];
  const isKnown = moment.tables.seen(moment, pending)?.eachPlainEvent(companies.changedIdentities(), window, moment, pending, (identity, company, { ms }) => {
    if (company > 0) found.push({ identity, company, ms });
  });
  return isKnown === true ? found : null;
}

/**
 * Visits the actors that were active for a company.
 * Cost: its pairs and those of its members, and a bit per actor.
 * @param members actors whose events without a company belong to this company
 */
export function eachPairOf(company: number, parts: readonly Activity[], members: BitSet, visit: (actor: number, eventCount: number, newestMs: number) => void): void {
  for (const { actors, companies, eventCounts, newestMs, groups } of parts) {
    const show = (at: number) => visit(actors[at]!, eventCounts[at]!, newestMs[at]!);
    if (groups === undefined) {
      for (let at = 0; at < actors.length; at += 1) if (companies[at] === company || (companies[at] === 0 && members.has(actors[at]!))) show(at);
      continue;
    }
    const { plain, starts } = groups;
    for (let at = starts[company - 1] ?? actors.length; at < (starts[company] ?? actors.length); at += 1) show(at);
    plain.eachRankIn(members.words, show);
  }
}

/** Visits all pairs, those of several parts more than once. */
export function* eachPair(parts: readonly Activity[], visit: (actor: number, company: number, eventCount: number, newestMs: number) => void): Steps<void> {
  for (const { actors, companies, eventCounts, newestMs } of parts)
    yield* piecesOf(actors.length, PAIRS_PER_STEP, (from, to) => {
      for (let at = from; at < to; at += 1) visit(actors[at]!, companies[at]!, eventCounts[at]!, newestMs[at]!);
    });
}
