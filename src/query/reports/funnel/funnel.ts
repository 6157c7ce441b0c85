/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { assert } from "../../../core/base/errors.js";
import type { FunnelPlan } from "../../plan/insights/plan.js";
import type { Range, Operand, QueryScope } from "../../plan/plan.js";
import type { SessionView } from "../../tables/sessions/session-view.js";
import { asOfAnswer, type RowContext, type Pass, type MultiPass } from "../form/report.js";
import { countedEntitiesOf, type CountedEntities } from "../insights/counted-entities.js";
import { slotsOf, bothExtents, type Extent, type Slot } from "../../answer/insights/buckets.js";
import { entryBits, ChainTries, funnelRows, funnelTrend, type ChainKeys } from "../../answer/insights/funnel-answer.js";
import { Scratch } from "../../../core/base/scratch.js";
import type { Funnel } from "../../plan/insights/answers.js";
import type { TableSnapshot } from "../../tables/tables.js";
import { STEP_BITS, stepsOf, type ChainFigures, type Mask } from "../../answer/insights/chains.js";
import { firstAtLeast } from "../../../storage/column/search.js";
import { PairTable } from "../../../core/base/pair-table.js";
import { inTurns } from "../../../core/base/yield.js";
import { SEQUENCE_COLUMN, TIME_COLUMN } from "../../../core/schema/fields.js";
import { isWhole, type Selector } from "../../filter/select.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { dayOf } from "../../../core/base/time.js";
import { compareKeys } from "../../../storage/segment/event-order.js";
import { rowKeysOf, KEY_SPAN, type RowKeys } from "../insights/row-keys.js";
import { EntityMatches, pruningOf, type Pruning, type MatchPlace } from "./entity-matches.js";
import { byteLengthOfList, matchListOf, joinedLists, type MatchList, type MatchSources } from "./match-list.js";

/** The entities that go through steps: people, accounts or sessions. */
interface FunnelEntities extends Pick<CountedEntities, "columns" | "name" | "subjectsOf" | "moves" | "entityOf"> {
  /** The time range of relevant events. */
  readonly range: Range;
  /** The time range of the first event of a chain. */
  readonly entries: Range;
  /** The instant that determines the bucket of a chain that starts with an event of a subject. */
  entryMsOf(subject: number, ms: number): number;
}

/** @param sessions null if the plan does not need them */
function funnelEntitiesOf(plan: FunnelPlan, context: RowContext, sessions: SessionView | null): FunnelEntities {
  if (plan.level === "session") return sessionEntities(plan, sessions);
  const { range, windowMs } = plan;
  const { columns, name, subjectsOf: ownOf, moves, entityOf } = countedEntitiesOf(plan.level, context);
  return {
    columns, name, subjectsOf: ownOf, moves, entityOf,
    // Events before the first event of a chain, or after its window, do not matter.
    range: { fromMs: range.fromMs, toMs: range.toMs + windowMs },
    entries: range,
    entryMsOf: (_subject, ms) => ms,
  };
}

/** Sessions that start in the range, as their number + 1. All their events may start a chain. */
function sessionEntities({ range, session: { maxMs } }: FunnelPlan, view: SessionView | null): FunnelEntities {
  assert(view !== null, "the report declares that it reads sessions");
  const { starts } = view.facts;
  return {
    columns: [],
    // Sessions may change before the next query.
    name: null,
    subjectsOf: (rows, selected) => {
      const sessions = view.rowSessions(rows);
      return selected.map((row) => {
        const session = sessions.of(row);
        return session >= 0 && starts[session]! >= range.fromMs && starts[session]! < range.toMs ? session + 1 : 0;
      });
    },
    moves: "none",
    entityOf: (subject) => subject,
    range: { fromMs: range.fromMs, toMs: range.toMs + maxMs },
    entries: { fromMs: -Infinity, toMs: Infinity },
    entryMsOf: (subject) => starts[subject - 1]!,
  };
}

/** Numbers the breakdown values of entities, for up to two fields, in order of occurrence. Cached lists have a separate key per field. */
class BreakdownGroups implements ChainKeys {
  /** By number of the key. */
  readonly #keys: number[] = [];
  readonly #numbers = new PairTable();

  constructor(readonly fields: readonly RowKeys[]) {}

  get keys(): Iterable<number> {
    return this.#keys;
  }

  /** The number of an event's key, from 0. */
  numberOf({ list, at }: MatchPlace): number {
    const [first, second] = [list.keys[0]?.[at] ?? 0, list.keys[1]?.[at] ?? 0];
    const number = this.#numbers.of(first, second, this.#keys.length + 1);
    if (number > this.#keys.length) this.#keys.push(this.fields.length > 1 ? first * KEY_SPAN + second : first);
    return number - 1;
  }

  numberOfKey(key: number): number {
    const [first, second] = this.fields.length > 1 ? [Math.floor(key / KEY_SPAN), key % KEY_SPAN] : [key, 0];
    return this.#numbers.numberOf(first, second) - 1;
  }

  groupsOf(key: number): readonly number[] {
    const [first, second] = this.fields;
    if (second === undefined) return first?.groupsOf(key) ?? [0];
    const others = second.groupsOf(key % KEY_SPAN);
    return first!.groupsOf(Math.floor(key / KEY_SPAN)).flatMap((group) => others.map((other) => group * KEY_SPAN + other));
  }

  valuesOfGroup(group: number): readonly string[] {
    const [first, second] = this.fields;
    if (second === undefined) return first?.valuesOfGroup(group) ?? [];
    return [...first!.valuesOfGroup(Math.floor(group / KEY_SPAN)), ...second.valuesOfGroup(group % KEY_SPAN)];
  }
}

class Tries {
  readonly #tries: ChainTries;
  readonly #pruning: Pruning | null;

  constructor(
    plan: FunnelPlan,
    entities: FunnelEntities,
    readonly matches: EntityMatches,
    /** Sorts the matches of the current entities. */
    readonly order: () => Promise<void>,
    readonly pause: () => Promise<void>,
  ) {
    const entryMsOf = (slot: number) => {
      if (plan.level !== "session") return matches.placed.ms[slot]!;
      const { list, at } = matches.placeOf(slot);
      return entities.entryMsOf(subjectOf(list, at), matches.placed.ms[slot]!);
    };
    this.#tries = new ChainTries(plan, { matches: matches.placed, entries: entities.entries, entryMsOf });
    this.#pruning = pruningOf(plan, entities.entries);
  }

  /** The chain of each entity by its value group, and the number of entities that may still continue. */
  async all(groups: BreakdownGroups): Promise<{ readonly figures: ChainFigures; readonly pendingCount: number }> {
    const groupOf = (slot: number) => groups.numberOf(this.matches.placeOf(slot));
    await this.#eachEntity((from, to) => this.#tries.add(from, to, groupOf), this.#pruning);
    this.#tries.addFirstOnly(this.matches.firstOnlyCount, this.matches.firstOnlyPendingCount);
    return this.#tries;
  }

  /** The chains within each bucket alone, by index of the slot. @param slots all slots of the range, if anything counts */
  async within(slots: readonly Slot[]): Promise<ChainFigures> {
    const figures = this.#tries.newFigures();
    await this.#eachEntity((from, to) => this.#tries.addWithin(figures, slots, from, to));
    return figures;
  }

  /** The first and last instant at which a chain may start; null if none may. */
  async extent(): Promise<Extent | null> {
    let all: Extent | null = null;
    await this.#eachEntity((from, to) => (all = bothExtents(all, this.#tries.extentOf(from, to))));
    return all;
  }

  /** @param pruning null for buckets, each of which needs all matches of its own */
  async #eachEntity(act: (from: number, to: number) => void, pruning: Pruning | null = null): Promise<void> {
    const { matches } = this;
    matches.rewind(pruning);
    while (matches.next()) {
      await this.order();
      await this.pause();
      const { starts, ends, entityCount } = matches;
      for (let entity = 0; entity < entityCount; entity += 1) act(starts[entity]!, ends[entity]!);
      await this.pause();
    }
  }
}

function subjectOf({ subjects, starts }: MatchList, at: number): number {
  return subjects[firstAtLeast(starts, at + 1) - 1]!;
}

interface FunnelParts {
  readonly [name: string]: Pass<MatchList[]>;
  readonly matches: Pass<MatchList[]>;
}

/** What is read besides rows: the snapshot, for event ids, and sessions; null if the level is not session. */
interface FunnelRead {
  readonly moment: TableSnapshot;
  readonly sessions: SessionView | null;
}

const breakdowns = new WeakMap<RowContext, BreakdownGroups>();

/** The same for all parts of a query, even if values arrive meanwhile. */
function groupsOf({ breakdown }: FunnelPlan, context: RowContext): BreakdownGroups {
  let groups = breakdowns.get(context);
  if (groups === undefined) breakdowns.set(context, (groups = new BreakdownGroups((breakdown?.fields ?? []).map((field) => rowKeysOf([field], context)))));
  return groups;
}

/** How far entities get through steps. Cost: cached spans with 12 bytes per match, and a few reads per match of entities that may have started. */
export const funnel: MultiPass<FunnelPlan, Funnel, FunnelParts, FunnelRead> = {
  kind: "multi_pass",
  needsCompanies: ({ level, breakdown, steps, exclusions }) => {
    const isAsked = ({ kind }: Operand) => kind === "companyId" || kind === "company";
    const isFiltered = [...steps, ...exclusions].some(({ scope }) => scope.where.some((group) => group.some(({ operand }) => isAsked(operand))));
    return level === "account" || isFiltered || breakdown?.fields.some(isAsked) === true;
  },
  read: (plan, moment, missing) => ({ moment, sessions: plan.level === "session" ? moment.tables.sessions(plan, moment, missing) : null }),
  parts: (plan, context, { sessions }) => ({ matches: matchesPart(plan, funnelEntitiesOf(plan, context, sessions), groupsOf(plan, context).fields) }),
  finish: async ({ matches: lists }, plan, context, { moment, sessions }, pause) => {
    const entities = funnelEntitiesOf(plan, context, sessions);
    const groups = groupsOf(plan, context);
    return await Scratch.of(async (scratch) => {
      const matches = new EntityMatches(lists, entities, entryBits(plan), scratch);
      const matters = orderMatters(plan);
      const tries = new Tries(plan, entities, matches, () => inOrder(matches, matters, moment), pause);
      const { figures, pendingCount } = await tries.all(groups);
      return {
        definition: plan.definition,
        asOf: asOfAnswer(plan, context),
        pending: pendingCount,
        steps: await figures.stepsOf(null, pause),
        ...(await funnelRows(plan, figures, groups, pause)),
        trend: await trendOf(plan, tries, pause),
      };
    });
  },
};

async function trendOf(plan: FunnelPlan, tries: Tries, pause: () => Promise<void>): Promise<Funnel["trend"]> {
  if (plan.interval === null) return null;
  const slots = slotsOf(plan, plan.interval, await tries.extent());
  return await funnelTrend(slots, await tries.within(slots), pause);
}

/** Cache entry of a span. */
interface KeptLists {
  lists: readonly MatchList[];
  /** Set by the first query that adds the lists, which does not wait for them to be joined. */
  isAdded: boolean;
  isJoined: boolean;
}

/**
 * The pass that collects matches. Spans first cache the arrays of segments themselves: in memory once, but counted by each cache entry.
 * Lists that are requested again are joined, which takes no more memory.
 */
function matchesPart(plan: FunnelPlan, entities: FunnelEntities, keys: readonly RowKeys[]): Pass<MatchList[], KeptLists> {
  const meant = meantBy(plan);
  const haveSequences = mayAskIds(orderMatters(plan));
  const sources: MatchSources = { bits: meant.map(({ bit }) => bit), subjects: entities, keys, haveSequences };
  const names = [entities.name, ...keys.map(({ name }) => name)];
  const name = names.includes(null) ? null : `matches ${meant.map(({ bit }) => bit).join()} of ${names.join(" by ")}${haveSequences ? " with ids" : ""}`;
  const part: Pass<MatchList[], KeptLists> = {
    scopes: meant.map(({ scope }) => ({ ...scope, range: entities.range })),
    columns: [TIME_COLUMN, ...(haveSequences ? [SEQUENCE_COLUMN] : []), ...entities.columns, ...keys.flatMap(({ columns }) => columns)],
    begin: () => [],
    scan: (state, rows, selectors) => {
      const list = keptList(rows, selectors, sources, name);
      if (list.subjects.length > 0) state.push(list);
    },
  };
  if (name === null) return part;
  return {
    ...part,
    kept: {
      key: name,
      of: (state) => ({ lists: [...state], isAdded: false, isJoined: false }),
      add: async (state, own, pause) => {
        if (own.isAdded && !own.isJoined) {
          own.lists = await inTurns(joinedLists(own.lists), pause);
          own.isJoined = true;
        }
        own.isAdded = true;
        for (const list of own.lists) state.push(list);
      },
      byteLength: ({ lists }) => lists.reduce((sum, list) => sum + byteLengthOfList(list), 0),
    },
  };
}

interface FunnelScope {
  readonly scope: QueryScope;
  readonly bit: Mask;
}

/** The event scopes and their bits. In strict order, where no event may lie between two steps, also all events that match the query. */
function meantBy({ steps, exclusions, order, project, eventName, userId, where, range }: FunnelPlan): FunnelScope[] {
  return [
    ...steps.map(({ scope }, at) => ({ scope, bit: 1 << at })),
    ...exclusions.map(({ scope }, at) => ({ scope, bit: 1 << (STEP_BITS + at) })),
    ...(order === "strict" ? [{ scope: { project, eventName, userId, where, range }, bit: 0 }] : []),
  ];
}

/** Also cached with whole segments, which a query reads where its dates cut a span. */
function keptList(rows: Rows, selectors: readonly Selector[], sources: MatchSources, name: string | null): MatchList {
  const make = () => matchListOf(rows, selectors, sources);
  const keys = selectors.map(({ key }) => key);
  if (name === null || keys.includes(null) || !selectors.every((selector) => isWhole(rows, selector))) return make();
  return rows.derive(`${name} ${keys.join()}`, make, byteLengthOfList);
}

/** Matches of one entity in the same millisecond. */
interface MatchesAtTime {
  readonly from: number;
  readonly to: number;
}

/** What the order of events within a millisecond can change; nothing if both are false. */
interface OrderMatters {
  /** The times that chains reach: if an event can match several steps. */
  readonly ofTimes: boolean;
  /** The breakdown values of entities. */
  readonly ofKeys: boolean;
}

/** What the order can change in a funnel. An event has one name, so it cannot match steps with different names. */
function orderMatters({ order, steps, breakdown }: FunnelPlan): OrderMatters {
  const names = steps.flatMap(({ scope }) => scope.eventName ?? []);
  return { ofTimes: order !== "any" && new Set(names).size < steps.length, ofKeys: breakdown !== null };
}

/** Whether event ids may be needed; they are read by sequence. */
function mayAskIds({ ofTimes, ofKeys }: OrderMatters): boolean {
  return ofTimes || ofKeys;
}

/**
 * Sorts the matches of some entities: by time, and by id where it matters. The matches of a subject are mostly in order already,
 * so ids are read only for events of one entity and millisecond that may be out of order and differ in what counts.
 * Cost: mostly one check per entity; otherwise the ids of the days of such events.
 */
export async function inOrder(matches: EntityMatches, matters: OrderMatters, moment: TableSnapshot): Promise<void> {
  const undecided: MatchesAtTime[] = [];
  for (let entity = 0; entity < matches.entityCount; entity += 1) {
    if (!matches.isUnsure(entity)) continue;
    const [from, to] = [matches.starts[entity]!, matches.ends[entity]!];
    matches.placed.sortByTime(from, to);
    if (mayAskIds(matters)) addUndecided(matches, from, to, matters, undecided);
  }
  if (undecided.length === 0) return;
  const places = undecided.map(({ from, to }) => Array.from({ length: to - from }, (_, at) => matches.placeOf(from + at)));
  const unknown = places.flat().filter((place) => moment.ids.of(sequenceOf(place)) === null);
  if (unknown.length > 0) await moment.ids.read(unknown.map((place) => ({ sequence: sequenceOf(place), day: dayOf(place.list.startMs + place.list.times[place.at]!) })), moment.rows);
  undecided.forEach(({ from }, at) => {
    const keys = places[at]!.map((place) => moment.ids.of(sequenceOf(place))!);
    matches.placed.reorder(from, [...keys.keys()].sort((a, b) => compareKeys(keys[a]!, keys[b]!)));
  });
}

function sequenceOf({ list, at }: MatchPlace): number {
  return list.sequences![at]!;
}

function addUndecided(matches: EntityMatches, start: number, end: number, matters: OrderMatters, undecided: MatchesAtTime[]): void {
  const { ms } = matches.placed;
  for (let from = start; from + 1 < end; ) {
    let to = from + 1;
    while (to < end && ms[to] === ms[from]) to += 1;
    if (to > from + 1 && !isInOrder(matches, from, to) && doesMatter(matches, from, to, matters)) undecided.push({ from, to });
    from = to;
  }
}

function isInOrder(matches: EntityMatches, from: number, to: number): boolean {
  const { list, at } = matches.placeOf(from);
  if (!list.isInOrder) return false;
  for (let slot = from + 1; slot < to; slot += 1) {
    const place = matches.placeOf(slot);
    // Matches of one subject are adjacent.
    if (place.list !== list || place.at !== at + slot - from) return false;
  }
  return true;
}

function doesMatter(matches: EntityMatches, from: number, to: number, { ofTimes, ofKeys }: OrderMatters): boolean {
  let first: MatchPlace | null = null;
  for (let slot = from; slot < to; slot += 1) {
    const steps = stepsOf(matches.placed.masks[slot]!);
    if (steps === 0) continue;
    if (ofTimes && (steps & (steps - 1)) !== 0) return true;
    if (!ofKeys) continue;
    const place = matches.placeOf(slot);
    first ??= place;
    if (place.list.keys.some((keys, field) => keys[place.at] !== first!.list.keys[field]![first!.at])) return true;
  }
  return false;
}
