/* eslint-disable @typescript-eslint/no-non-null-assertion -- a key has one value a field */
import { bothExtents, cutOf, slotsOf, type Slot } from "../../answer/insights/buckets.js";
import { type KeyGroups, combinationsOf } from "../../answer/insights/combinations.js";
import {
  byIdentity, visitList, keysThere, sumsOf, type VisitCounting, type Visits, ONLINE_MS, webFigures, NOT_SET, NO_TOUCH,
} from "../../answer/visits/visits.js";
import { LIMITS } from "../../../core/base/limits.js";
import { Scratch } from "../../../core/base/scratch.js";
import type { WebOverview } from "../../plan/insights/answers.js";
import type { WebOverviewPlan } from "../../plan/insights/plan.js";
import type { Range, TouchDimension, QueryScope } from "../../plan/plan.js";
import type { SessionView } from "../../tables/sessions/session-view.js";
import { labelNumbers } from "../../tables/touches/touch-facts.js";
import { firstPlaces } from "../../answer/ranked-items.js";
import { inPieces, runYielding } from "../../../core/base/yield.js";
import { compareCodePoints } from "../../../core/base/text-order.js";
import { firstAtLeast } from "../../../core/base/search.js";
import { countIdentities } from "../events/distinct-actors.js";
import { asOfAnswer, type Pass, type Report, type RowContext, type StateOf } from "../form/report.js";
import { rowKeysOf, type RowKeys, KEY_SPAN } from "../insights/row-keys.js";
import { extentOf, type RowCut } from "../insights/row-units.js";
import { countedEntitiesOf, entitiesByUnit, type CountedEntities, type EntitiesByUnit } from "../insights/counted-entities.js";
import { cellsByUnit, NO_ITEMS, type CellsByUnit, type Cells } from "../insights/cells.js";
import { keysOfVisits, urlsOfVisits, isFiltered, marksOf, visitsOf, type VisitKeys, type SessionMarks } from "./visits.js";

function viewsOf(scope: QueryScope, pageviewSlugs: readonly string[]): QueryScope {
  const isView = { operand: { kind: "field", field: "slug" }, test: { op: "equals", values: pageviewSlugs }, negated: false } as const;
  return { ...scope, where: scope.where.length === 0 ? [[isView]] : scope.where.map((group) => [...group, isView]) };
}

/** Where the cells of each key lie in a list. Keys ascend. */
interface KeyIndex {
  readonly keys: Uint32Array;
  readonly starts: Uint32Array;
  readonly counts: Float64Array;
}

const indexes = new WeakMap<Cells, KeyIndex>();

/** Built once per list: cached spans return the same list. */
async function indexOf(cells: Cells, pause: () => Promise<void>): Promise<KeyIndex> {
  let index = indexes.get(cells);
  if (index === undefined) indexes.set(cells, (index = await makeIndex(cells, pause)));
  return index;
}

async function makeIndex({ pairs, counts }: Cells, pause: () => Promise<void>): Promise<KeyIndex> {
  const [keys, starts, sums]: [number[], number[], number[]] = [[], [], []];
  let last = -1;
  await inPieces(pairs.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const key = Math.floor(pairs[at]! / KEY_SPAN);
      if (key !== last) {
        keys.push(key);
        starts.push(at);
        sums.push(0);
        last = key;
      }
      sums[sums.length - 1]! += counts[at]!;
    }
  });
  starts.push(pairs.length);
  return { keys: Uint32Array.from(keys), starts: Uint32Array.from(starts), counts: Float64Array.from(sums) };
}

interface Indexed {
  readonly cells: Cells;
  readonly index: KeyIndex;
}

/**
 * Pages by visitors, then views, both descending, then value. Visitors are counted only for pages that may be shown.
 * Cost: the keys, and the cells of those pages.
 * @param lists cells by url and actor
 */
async function pagesOf(lists: readonly Cells[], path: RowKeys, people: CountedEntities, limit: number, pause: () => Promise<void>): Promise<WebOverview["pages"]> {
  const indexed: Indexed[] = [];
  for (const cells of lists) indexed.push({ cells, index: await indexOf(cells, pause) });
  const { cellCounts, viewCounts } = await countsOf(indexed, pause);
  const pages = await runYielding(combinationsOf(keysThere(cellCounts), path, false), pause);
  // Upper bounds of the numbers of visitors.
  const most = await runYielding(pages.sumsOf((key) => cellCounts[key]!), pause);
  const views = await runYielding(pages.sumsOf((key) => viewCounts[key]!), pause);
  const likely = await runYielding(firstPlaces(pages.count, limit, (a, b) => most[b]! - most[a]! || a - b), pause);
  const counter = new VisitorCounter(indexed, people);
  const visitors = new Uint32Array(pages.count);
  for (const place of likely) visitors[place] = await counter.countOf(pages.keysOf(place), pause);
  // Pages with fewer visitors than this are not shown.
  const least = likely.length < limit ? 0 : Math.min(...likely.map((place) => visitors[place]!));
  const counted: number[] = [...likely];
  for (const place of likely) most[place] = -1;
  for (let place = 0; place < pages.count; place += 1) {
    if (place % PAGES_PER_PAUSE === 0) await pause();
    if (most[place]! < least || most[place]! < 0) continue;
    visitors[place] = most[place] === 1 ? counter.countOfOne(pages.keysOf(place)) : await counter.countOf(pages.keysOf(place), pause);
    counted.push(place);
  }
  const valueOf = (at: number) => pages.valuesOf(counted[at]!)[0]!;
  const descending = (a: number, b: number) => visitors[counted[b]!]! - visitors[counted[a]!]! || views[counted[b]!]! - views[counted[a]!]! || compareCodePoints(valueOf(a), valueOf(b));
  const shown = await runYielding(firstPlaces(counted.length, limit, descending), pause);
  return shown.map((at) => ({ value: valueOf(at), visitors: visitors[counted[at]!]!, views: views[counted[at]!]! }));
}

/** Pages read between two pauses. */
const PAGES_PER_PAUSE = 256;

/** By key: the number of its cells, and of their events. */
async function countsOf(lists: readonly Indexed[], pause: () => Promise<void>): Promise<{ readonly cellCounts: Uint32Array; readonly viewCounts: Float64Array }> {
  const keyEnd = Math.max(0, ...lists.map(({ index }) => (index.keys.at(-1) ?? -1) + 1));
  const [cellCounts, viewCounts] = [new Uint32Array(keyEnd), new Float64Array(keyEnd)];
  for (const { index: { keys, starts, counts } } of lists)
    await inPieces(keys.length, pause, (from, to) => {
      for (let at = from; at < to; at += 1) {
        cellCounts[keys[at]!]! += starts[at + 1]! - starts[at]!;
        viewCounts[keys[at]!]! += counts[at]!;
      }
    });
  return { cellCounts, viewCounts };
}

/** Counts the distinct identities of cells. 4 bytes per possible identity. */
class VisitorCounter {
  readonly #stamps: Uint32Array;
  #stamp = 0;

  constructor(
    readonly lists: readonly Indexed[],
    readonly people: CountedEntities,
  ) {
    this.#stamps = new Uint32Array(people.end);
  }

  async countOf(keys: Float64Array, pause: () => Promise<void>): Promise<number> {
    this.#stamp += 1;
    let count = 0;
    for (const key of keys)
      for (const list of this.lists) {
        count += this.#countIn(list, key);
        await pause();
      }
    return count;
  }

  /** Synchronous variant for a few cells. */
  countOfOne(keys: Float64Array): number {
    this.#stamp += 1;
    let count = 0;
    for (const key of keys) for (const list of this.lists) count += this.#countIn(list, key);
    return count;
  }

  #countIn({ cells: { pairs }, index: { keys, starts } }: Indexed, key: number): number {
    const place = firstAtLeast(keys, key);
    if (keys[place] !== key) return 0;
    const [stamps, stamp, { people }] = [this.#stamps, this.#stamp, this];
    let count = 0;
    for (let at = starts[place]!; at < starts[place + 1]!; at += 1) {
      const actor = pairs[at]! % KEY_SPAN;
      if (actor === 0) continue;
      const identity = people.entityOf(actor);
      if (stamps[identity] === stamp) continue;
      stamps[identity] = stamp;
      count += 1;
    }
    return count;
  }
}

/** Visitors, views and visits of a site: matching events, and sessions that have one. */
export const webOverview: Report<WebOverviewPlan, WebOverview> = {
  readsTables: true,
  prepare: (plan, context, pending) => {
    const view = context.tables.sessions(plan, context, pending);
    if (view === null) return null;
    const { pause } = context;
    const people = countedEntitiesOf("identity", context);
    const path = rowKeysOf([{ kind: "path" }], context);
    const passes = passesOf(plan, people, path, view, context);
    const finish = (stateOf: StateOf) =>
      Scratch.of(async (scratch) => {
        const visitsIn = (range: Range, marks: Pass<SessionMarks> | null) =>
          visitsOf(plan, range, marks === null ? null : stateOf(marks), view, context, scratch, pause);
        const figuresOf = async (visitors: EntitiesByUnit, views: CellsByUnit, visits: Visits) =>
          webFigures(visitorsOf(visitors, context), viewCountOf(views), await sumsOf(visits, pause));
        const { previous } = passes;
        const [visitors, views] = [stateOf(passes.visitors), stateOf(passes.views)];
        const visits = await visitsIn(plan.range, passes.marks);
        const chart = chartOf(visitors, views, passes.events === null ? null : stateOf(passes.events), visits, plan, context);
        await pause();
        return {
          definition: plan.definition,
          asOf: asOfAnswer(plan, context),
          nowOnline: visitorsOf(stateOf(passes.online), context),
          figures: await figuresOf(visitors, views, visits),
          previous:
            previous === null ? null : await figuresOf(stateOf(previous.visitors), stateOf(previous.views), await visitsIn(previous.range, previous.marks)),
          chart,
          pages: await pagesOf([...stateOf(passes.pages).values()].flat(), path, people, plan.limit, pause),
          ...(await listsOf(visits, path, context, plan.limit, { scratch, pause })),
        };
      });
    return { passes: passes.all, finish };
  },
};

/** For the matching events their actors, and which are page views. */
function passesOf(plan: WebOverviewPlan, people: CountedEntities, path: RowKeys, view: SessionView, context: RowContext) {
  const none = rowKeysOf([], context);
  const actors = { columns: people.columns, name: people.name, itemsOf: people.entityKeysOf };
  const cut = plan.interval === null ? null : cutOf(plan.calendar, plan.interval);
  const isOpen = plan.isOpen.start || plan.isOpen.end;
  const visitorsIn = (range: Range, by: RowCut) => entitiesByUnit({ ...plan, range }, [by], people);
  const viewsIn = (range: Range, by: RowCut) => cellsByUnit(viewsOf({ ...plan, range }, plan.pageviewSlugs), by, none, NO_ITEMS);
  const marksIn = (range: Range) => (isFiltered(plan) ? marksOf(plan, range, view) : null);
  const online = { ...plan, eventName: null, where: [], range: { fromMs: plan.nowMs - ONLINE_MS, toMs: plan.nowMs + LIMITS.futureSkewMs + 1 } };
  const passes = {
    online: entitiesByUnit(online, [null], people),
    visitors: visitorsIn(plan.range, cut),
    views: viewsIn(plan.range, cut),
    /** Page views by url and actor. */
    pages: cellsByUnit(viewsOf(plan, plan.pageviewSlugs), null, path, actors),
    /** All events, if the chart needs to find its start or end. */
    events: cut !== null && isOpen ? cellsByUnit(plan, cut, none, NO_ITEMS) : null,
    marks: marksIn(plan.range),
  };
  const previous = plan.previous === null ? null
    : { range: plan.previous, visitors: visitorsIn(plan.previous, null), views: viewsIn(plan.previous, null), marks: marksIn(plan.previous) };
  const all = [...Object.values(passes), previous?.visitors ?? null, previous?.views ?? null, previous?.marks ?? null].filter((pass) => pass !== null);
  return { ...passes, previous, all };
}

function visitorsOf(byUnit: EntitiesByUnit, { identities }: RowContext): number {
  return countIdentities([...byUnit.values()].flat(), identities);
}

function viewCountOf(byUnit: CellsByUnit): number {
  let count = 0;
  for (const cells of byUnit.values()) for (const { counts } of cells) for (const own of counts) count += own;
  return count;
}

/** @throws invalid_parameter (too many buckets) */
function chartOf(
  visitors: EntitiesByUnit,
  views: CellsByUnit,
  events: CellsByUnit | null,
  visits: Visits,
  plan: WebOverviewPlan,
  { identities }: RowContext,
): WebOverview["chart"] {
  if (plan.interval === null) return null;
  const slots = slotsOf(plan, plan.interval, bothExtents(extentOf(events?.keys() ?? [], plan.range), visits.extent));
  return slots.map((slot) => ({
    ...slot.bucket,
    visitors: countIdentities(visitors.get(slot.unitMs) ?? [], identities),
    views: viewCountOf(unitOf(views, slot)),
    visits: visits.within(slot).count,
  }));
}

function unitOf(byUnit: CellsByUnit, { unitMs }: Slot): CellsByUnit {
  return new Map([[unitMs, byUnit.get(unitMs) ?? []]]);
}

type OverviewLists = Pick<WebOverview, "entryPages" | "exitPages" | "sources" | "mediums" | "campaigns" | "countries" | "devices" | "browsers" | "systems">;

async function listsOf(visits: Visits<SessionView>, path: RowKeys, context: RowContext, limit: number, { scratch, pause }: VisitCounting): Promise<OverviewLists> {
  const touches = touchKeysOf(context);
  const [countries, devices, browsers, systems] = ["location_country", "device", "browser", "os"].map((field) => rowKeysOf([{ kind: "field", field }], context));
  const ofFirst = [countries!, devices!, browsers!, systems!];
  const [touchKeys, ...keys] = await keysOfVisits(visits, [touches, ...ofFirst], scratch, pause);
  const people = await byIdentity(visits, scratch, pause);
  const list = async (keyOfVisit: Uint32Array | undefined, groups: KeyGroups) => {
    await pause();
    return await visitList(people, keyOfVisit!, groups, limit, pause);
  };
  return {
    entryPages: await list(await urlsOfVisits(visits, "entry", scratch, pause), path),
    exitPages: await list(await urlsOfVisits(visits, "exit", scratch, pause), path),
    sources: await list(touchKeys, touches.groupsBy("source")),
    mediums: await list(touchKeys, touches.groupsBy("medium")),
    campaigns: await list(touchKeys, touches.groupsBy("campaign")),
    countries: await list(keys[0], countries!),
    devices: await list(keys[1], devices!),
    browsers: await list(keys[2], browsers!),
    systems: await list(keys[3], systems!),
  };
}

interface TouchKeys extends VisitKeys {
  groupsBy(dimension: TouchDimension): KeyGroups;
}

/** The labels of the events' own touches, as attribution shows them. */
function touchKeysOf({ touches }: RowContext): TouchKeys {
  const { labels } = touches;
  return {
    columns: touches.reader().columns,
    areCached: (rows) => rows.cached(labels.name, []) !== null,
    keysOf: (rows, selected) => {
      const numbers = labelNumbers(rows, touches);
      return selected.map((row) => numbers[row] ?? 0);
    },
    groupsBy: (dimension) => {
      const numbers = new Map<string, number>();
      const texts: string[] = [];
      const numberOf = (text: string) => {
        let number = numbers.get(text);
        if (number === undefined) numbers.set(text, (number = texts.push(text) - 1));
        return number;
      };
      const textOf = (key: number) => (key === 0 ? NO_TOUCH[dimension] : (labels.labelOf(key)?.[dimension] ?? NOT_SET));
      return { groupsOf: (key) => [numberOf(textOf(key))], valuesOfGroup: (group) => [texts[group] ?? ""] };
    },
  };
}
