/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { assert } from "../../../core/base/errors.js";
import type { FunnelPlan } from "../../plan/insights/plan.js";
import type { Range, QueryScope } from "../../plan/plan.js";
import type { SessionView } from "../../tables/sessions/session-view.js";
import { asOfAnswer, onePass, type Pass, type Report, type RowContext } from "../form/report.js";
import { countedEntitiesOf, type CountedEntities } from "../insights/counted-entities.js";
import { slotsOf, bothExtents, type Extent } from "../../answer/insights/buckets.js";
import { entryBits, ChainEvaluator, funnelRows, funnelTrend, type ChainKeys } from "../../answer/insights/funnel-answer.js";
import { Scratch } from "../../../core/base/scratch.js";
import type { Funnel } from "../../plan/insights/answers.js";
import type { TableSnapshot } from "../../tables/tables.js";
import { STEP_BITS, stepsOf, type Mask } from "../../answer/insights/chains.js";
import { firstAtLeast } from "../../../core/base/search.js";
import { PairTable } from "../../../core/base/pair-table.js";
import { runYielding } from "../../../core/base/yield.js";
import type { CalendarUnit } from "../../plan/input.js";
import { SEQUENCE_COLUMN, TIME_COLUMN } from "../../../core/schema/fields.js";
import { isWhole, type Selector } from "../../filter/select.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { dayOf } from "../../../core/base/time.js";
import { compareKeys } from "../../../storage/segment/event-order.js";
import { rowKeysOf, KEY_SPAN, type RowKeys } from "../insights/row-keys.js";
import { EntityMatches, pruningOf, type Pruning, type MatchPlace } from "./entity-matches.js";
import { byteLengthOfList, matchListOf, joinedLists, type MatchList, type MatchSources } from "./match-list.js";

/** The entities that go through steps: people, accounts or sessions. */
interface FunnelEntities extends Pick<CountedEntities, "columns" | "name" | "entityKeysOf" | "moved" | "entityOf"> {
  /** The time range of relevant events. */
  readonly range: Range;
  /** The time range of the first event of a chain. */
  readonly entries: Range;
  /** The start of the session of an entity key, which determines the bucket of its chain; null: the first event does. */
  readonly startMsOf: ((entityKey: number) => number) | null;
}

/** @param sessions null if the plan does not need them */
function funnelEntitiesOf(plan: FunnelPlan, context: RowContext, sessions: SessionView | null): FunnelEntities {
  if (plan.level === "session") return sessionEntities(plan, sessions);
  const { range, windowMs } = plan;
  const { columns, name, entityKeysOf, moved, entityOf } = countedEntitiesOf(plan.level, context);
  return {
    columns, name, entityKeysOf, moved, entityOf,
    // Events before the first event of a chain, or after its window, do not matter.
    range: { fromMs: range.fromMs, toMs: range.toMs + windowMs },
    entries: range,
    startMsOf: null,
  };
}

/** Sessions that start in the range, as their number + 1. All their events may start a chain. */
function sessionEntities({ range, session: { maxMs } }: FunnelPlan, view: SessionView | null): FunnelEntities {
  assert(view !== null, "sessions were loaded (readsTables)");
  const { starts } = view.facts;
  return {
    columns: [],
    // Sessions may change before the next query.
    name: null,
    entityKeysOf: (rows, selected) => {
      const sessions = view.rowSessions(rows);
      return selected.map((row) => {
        const session = sessions.of(row);
        return session >= 0 && starts[session]! >= range.fromMs && starts[session]! < range.toMs ? session + 1 : 0;
      });
    },
    moved: "none",
    entityOf: (entityKey) => entityKey,
    range: { fromMs: range.fromMs, toMs: range.toMs + maxMs },
    entries: { fromMs: -Infinity, toMs: Infinity },
    startMsOf: (entityKey) => starts[entityKey - 1]!,
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

function entityKeyOf({ entityKeys, starts }: MatchList, at: number): number {
  return entityKeys[firstAtLeast(starts, at + 1) - 1]!;
}

/** How far entities get through steps. Cost: cached spans with 12 bytes per match, and a few reads per match of entities that may have started. */
export const funnel: Report<FunnelPlan, Funnel> = {
  needsCompanies: ({ level }) => level === "account",
  readsTables: true,
  prepare: (plan, context, pending) => {
    const sessions = plan.level === "session" ? context.tables.sessions(plan, context, pending) : null;
    if (!pending.isEmpty) return null;
    const { pause } = context;
    const entities = funnelEntitiesOf(plan, context, sessions);
    const groups = new BreakdownGroups((plan.breakdown?.fields ?? []).map((field) => rowKeysOf([field], context)));
    return onePass(matchesPass(plan, entities, groups.fields), (lists) =>
      Scratch.of(async (scratch) => {
        const matches = new EntityMatches(lists, entities, entryBits(plan), scratch);
        const evaluator = evaluatorOf(plan, entities, matches);
        const eachEntity = entityLoop(matches, tieEffectsOf(plan), context);
        const groupOf = (slot: number) => groups.numberOf(matches.placeOf(slot));
        await eachEntity(pruningOf(plan, entities.entries), (from, to) => evaluator.add(from, to, groupOf));
        evaluator.addFirstOnly(matches.firstOnlyCount, matches.firstOnlyPendingCount);
        const { figures, pendingCount } = evaluator;
        return {
          definition: plan.definition,
          asOf: asOfAnswer(plan, context),
          pending: pendingCount,
          steps: await figures.stepsOf(null, pause),
          ...(await funnelRows(plan, figures, groups, pause)),
          trend: plan.interval === null ? null : await trendOf(plan, plan.interval, evaluator, eachEntity, pause),
        };
      }));
  },
};

function evaluatorOf(plan: FunnelPlan, { entries, startMsOf }: FunnelEntities, matches: EntityMatches): ChainEvaluator {
  const entryMsOf = (slot: number) => {
    if (startMsOf === null) return matches.placed.ms[slot]!;
    const { list, at } = matches.placeOf(slot);
    return startMsOf(entityKeyOf(list, at));
  };
  return new ChainEvaluator(plan, { matches: matches.placed, entries, entryMsOf });
}

/** Visits the matches of each entity, sorted. @param pruning null for buckets, each of which needs all matches of its own */
type EntityLoop = (pruning: Pruning | null, act: (from: number, to: number) => void) => Promise<void>;

function entityLoop(matches: EntityMatches, effects: TieEffects, context: RowContext): EntityLoop {
  return async (pruning, act) => {
    matches.rewind(pruning);
    while (matches.next()) {
      await inOrder(matches, effects, context);
      await context.pause();
      const { starts, ends, entityCount } = matches;
      for (let entity = 0; entity < entityCount; entity += 1) act(starts[entity]!, ends[entity]!);
      await context.pause();
    }
  };
}

async function trendOf(plan: FunnelPlan, interval: CalendarUnit, evaluator: ChainEvaluator, eachEntity: EntityLoop, pause: () => Promise<void>): Promise<Funnel["trend"]> {
  let extent: Extent | null = null;
  await eachEntity(null, (from, to) => (extent = bothExtents(extent, evaluator.extentOf(from, to))));
  const slots = slotsOf(plan, interval, extent);
  const figures = evaluator.newFigures();
  await eachEntity(null, (from, to) => evaluator.addWithin(figures, slots, from, to));
  return await funnelTrend(slots, figures, pause);
}

interface CachedLists {
  lists: readonly MatchList[];
  /** Set by the first query that adds the lists, which does not wait for them to be joined. */
  isAdded: boolean;
  isJoined: boolean;
}

/**
 * The pass that collects matches. At first, spans cache the same arrays as their segments: each cache counts them, though memory has them once.
 * Lists that are requested again are joined, which takes no more memory.
 */
function matchesPass(plan: FunnelPlan, entities: FunnelEntities, keys: readonly RowKeys[]): Pass<MatchList[], CachedLists> {
  const funnelScopes = funnelScopesOf(plan);
  const haveSequences = needsEventIds(tieEffectsOf(plan));
  const sources: MatchSources = { bits: funnelScopes.map(({ bit }) => bit), counted: entities, keys, haveSequences };
  const names = [entities.name, ...keys.map(({ name }) => name)];
  const name = names.includes(null) ? null : `matches ${funnelScopes.map(({ bit }) => bit).join()} of ${names.join(" by ")}${haveSequences ? " with ids" : ""}`;
  const pass: Pass<MatchList[], CachedLists> = {
    scopes: funnelScopes.map(({ scope }) => ({ ...scope, range: entities.range })),
    columns: [TIME_COLUMN, ...(haveSequences ? [SEQUENCE_COLUMN] : []), ...entities.columns, ...keys.flatMap(({ columns }) => columns)],
    begin: () => [],
    scan: (state, rows, selectors) => {
      const list = cachedList(rows, selectors, sources, name);
      if (list.entityKeys.length > 0) state.push(list);
    },
  };
  if (name === null) return pass;
  return {
    ...pass,
    cached: {
      key: name,
      of: (state) => ({ lists: [...state], isAdded: false, isJoined: false }),
      add: async (state, own, pause) => {
        if (own.isAdded && !own.isJoined) {
          own.lists = await runYielding(joinedLists(own.lists), pause);
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
function funnelScopesOf({ steps, exclusions, order, project, eventName, userId, where, range }: FunnelPlan): FunnelScope[] {
  return [
    ...steps.map(({ scope }, at) => ({ scope, bit: 1 << at })),
    ...exclusions.map(({ scope }, at) => ({ scope, bit: 1 << (STEP_BITS + at) })),
    ...(order === "strict" ? [{ scope: { project, eventName, userId, where, range }, bit: 0 }] : []),
  ];
}

/** Also cached with whole segments, which a query reads where its dates cut a span. */
function cachedList(rows: Rows, selectors: readonly Selector[], sources: MatchSources, name: string | null): MatchList {
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

/** What depends on the order of events with equal times. */
interface TieEffects {
  /** The times that chains reach: if an event can match several steps. */
  readonly times: boolean;
  /** The breakdown values of entities. */
  readonly breakdown: boolean;
}

/** What the order can change in a funnel. An event has one name, so it cannot match steps with different names. */
function tieEffectsOf({ order, steps, breakdown }: FunnelPlan): TieEffects {
  const names = steps.flatMap(({ scope }) => scope.eventName ?? []);
  return { times: order !== "any" && new Set(names).size < steps.length, breakdown: breakdown !== null };
}

/** Whether event ids may be needed; they are read by sequence. */
function needsEventIds({ times, breakdown }: TieEffects): boolean {
  return times || breakdown;
}

/**
 * Sorts the matches of some entities: by time, and by id where it matters. The matches of an entity key are mostly in order already,
 * so ids are read only for events of one entity and millisecond that may be out of order and differ in what counts.
 * Cost: mostly one check per entity; otherwise the ids of the days of such events.
 */
export async function inOrder(matches: EntityMatches, effects: TieEffects, moment: TableSnapshot): Promise<void> {
  const undecided: MatchesAtTime[] = [];
  for (let entity = 0; entity < matches.entityCount; entity += 1) {
    if (!matches.needsSort(entity)) continue;
    const [from, to] = [matches.starts[entity]!, matches.ends[entity]!];
    matches.placed.sortByTime(from, to);
    if (needsEventIds(effects)) addUndecided(matches, from, to, effects, undecided);
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

function addUndecided(matches: EntityMatches, start: number, end: number, effects: TieEffects, undecided: MatchesAtTime[]): void {
  const { ms } = matches.placed;
  for (let from = start; from + 1 < end; ) {
    let to = from + 1;
    while (to < end && ms[to] === ms[from]) to += 1;
    if (to > from + 1 && !isInOrder(matches, from, to) && changesResult(matches, from, to, effects)) undecided.push({ from, to });
    from = to;
  }
}

function isInOrder(matches: EntityMatches, from: number, to: number): boolean {
  const { list, at } = matches.placeOf(from);
  if (!list.isInOrder) return false;
  for (let slot = from + 1; slot < to; slot += 1) {
    const place = matches.placeOf(slot);
    // Matches of one entity key are adjacent.
    if (place.list !== list || place.at !== at + slot - from) return false;
  }
  return true;
}

function changesResult(matches: EntityMatches, from: number, to: number, { times, breakdown }: TieEffects): boolean {
  let first: MatchPlace | null = null;
  for (let slot = from; slot < to; slot += 1) {
    const steps = stepsOf(matches.placed.masks[slot]!);
    if (steps === 0) continue;
    if (times && (steps & (steps - 1)) !== 0) return true;
    if (!breakdown) continue;
    const place = matches.placeOf(slot);
    first ??= place;
    if (place.list.keys.some((keys, field) => keys[place.at] !== first!.list.keys[field]![first!.at])) return true;
  }
  return false;
}
