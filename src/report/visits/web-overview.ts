/* eslint-disable @typescript-eslint/no-non-null-assertion -- a key has one value a field */
import { bothExtents, cutOf, slotsOf, type Slot } from "../../answer/insights/buckets.js";
import type { KeyGroups } from "../../answer/insights/combinations.js";
import { byIdentity, visitList } from "../../answer/visits/visit-list.js";
import type { Counting, Visits } from "../../answer/visits/visits.js";
import { ONLINE_MS, webFigures } from "../../answer/visits/web-figures.js";
import { LIMITS } from "../../base/limits.js";
import { Scratch } from "../../base/scratch.js";
import type { WebFigures, WebOverview } from "../../plan/insights/answers.js";
import type { WebOverviewPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";
import type { SessionView } from "../../table/sessions/session-view.js";
import { countIdentities } from "../events/distinct-actors.js";
import type { AnyPart } from "../form/part.js";
import type { RowContext, Survey } from "../form/report.js";
import { asOfAnswer } from "../insights/as-of-answer.js";
import { rowKeysOf, type RowKeys } from "../insights/row-keys.js";
import type { RowCut } from "../insights/row-units.js";
import { subjectsOf } from "../insights/subjects.js";
import { subjectsByUnit, type SubjectsByUnit } from "../insights/subjects-by-unit.js";
import { extentOf } from "../insights/unit-extent.js";
import { cellsByUnit, NO_ITEMS, type CellsByUnit } from "../insights/cells-by-unit.js";
import { keysOfVisits, urlsOfVisits } from "./keys-of-visits.js";
import { pagesOf, viewsOf } from "./page-views.js";
import { touchKeysOf } from "./touch-keys.js";
import { isFiltered, marksOf, visitsOf, type SessionMarks } from "./visits.js";

/** What its parts come to. Of the events: who did them, and which are page views. */
type WebStates = {
  readonly online: SubjectsByUnit;
  readonly visitors: SubjectsByUnit;
  readonly views: CellsByUnit;
  /** Page views by url and actor. */
  readonly pages: CellsByUnit;
  /** All events, where the chart needs to know when they were. */
  readonly events?: CellsByUnit;
  /** Where filters choose sessions. */
  readonly marks?: SessionMarks;
  readonly formerVisitors?: SubjectsByUnit;
  readonly formerViews?: CellsByUnit;
  readonly formerMarks?: SessionMarks;
};

/** Visitors, views and visits of a site: events that match, and sessions that have one. */
export const webOverview: Survey<"webOverview", Readonly<Record<string, AnyPart>>, SessionView> = {
  kind: "survey",
  tables: () => ["sessions"],
  read: (plan, moment, missing) => moment.tables.sessions(plan, moment, missing),
  parts: (plan, context, view) => partsOf(plan, context, view) as Readonly<Record<string, AnyPart>>,
  finish: (found, plan, context, view, pause) =>
    Scratch.of(async (scratch) => {
      // The states of the parts under these names.
      const states = found as WebStates;
      const visits = await visitsOf(plan, plan.range, states.marks ?? null, view, context, scratch, pause);
      const chart = chartOf(states, visits, plan, context);
      await pause();
      return {
        definition: plan.definition,
        asOf: asOfAnswer(plan, context),
        nowOnline: visitorsOf(states.online, context),
        figures: await figuresOf(states.visitors, states.views, visits, context, pause),
        previous: await previousOf(states, plan, context, view, { scratch, pause }),
        chart,
        pages: await pagesOf([...states.pages.values()].flat(), pathsOf(context), subjectsOf("identity", context), plan.limit, pause),
        ...(await listsOf(visits, context, plan.limit, { scratch, pause })),
      };
    }),
};

const paths = new WeakMap<RowContext, RowKeys>();

/** The same for all parts of a question. */
function pathsOf(context: RowContext): RowKeys {
  let keys = paths.get(context);
  if (keys === undefined) paths.set(context, (keys = rowKeysOf([{ kind: "path" }], context)));
  return keys;
}

function partsOf(plan: WebOverviewPlan, context: RowContext, view: SessionView): object {
  const people = subjectsOf("identity", context);
  const none = rowKeysOf([], context);
  const actors = { columns: people.columns, name: people.name, itemsOf: people.subjectsOf };
  const cut = plan.interval === null ? null : cutOf(plan.calendar, plan.interval);
  const visitorsIn = (range: Range, by: RowCut) => subjectsByUnit({ ...plan, range }, [by], people);
  const viewsIn = (range: Range, by: RowCut) => cellsByUnit(viewsOf({ ...plan, range }, plan.pageviewSlugs), by, none, NO_ITEMS);
  const online = { ...plan, eventName: null, where: [], range: { fromMs: plan.nowMs - ONLINE_MS, toMs: plan.nowMs + LIMITS.futureSkewMs + 1 } };
  const isOpen = plan.isOpen.start || plan.isOpen.end;
  const { previous } = plan;
  return {
    online: subjectsByUnit(online, [null], people),
    visitors: visitorsIn(plan.range, cut),
    views: viewsIn(plan.range, cut),
    pages: cellsByUnit(viewsOf(plan, plan.pageviewSlugs), null, pathsOf(context), actors),
    ...(cut !== null && isOpen ? { events: cellsByUnit(plan, cut, none, NO_ITEMS) } : {}),
    ...(isFiltered(plan) ? { marks: marksOf(plan, plan.range, view) } : {}),
    ...(previous === null ? {} : { formerVisitors: visitorsIn(previous, null), formerViews: viewsIn(previous, null) }),
    ...(previous !== null && isFiltered(plan) ? { formerMarks: marksOf(plan, previous, view) } : {}),
  };
}

function visitorsOf(byUnit: SubjectsByUnit, { identities }: RowContext): number {
  return countIdentities([...byUnit.values()].flat(), identities);
}

function viewCountOf(byUnit: CellsByUnit): number {
  let count = 0;
  for (const cells of byUnit.values()) for (const { counts } of cells) for (const own of counts) count += own;
  return count;
}

function figuresOf(visitors: SubjectsByUnit, views: CellsByUnit, visits: Visits, context: RowContext, pause: () => Promise<void>): Promise<WebFigures> {
  return webFigures(visitorsOf(visitors, context), viewCountOf(views), visits, pause);
}

async function previousOf(
  { formerVisitors, formerViews, formerMarks }: WebStates,
  plan: WebOverviewPlan,
  context: RowContext,
  view: SessionView,
  { scratch, pause }: Counting,
): Promise<WebFigures | null> {
  if (plan.previous === null || formerVisitors === undefined || formerViews === undefined) return null;
  const visits = await visitsOf(plan, plan.previous, formerMarks ?? null, view, context, scratch, pause);
  return await figuresOf(formerVisitors, formerViews, visits, context, pause);
}

/** @throws invalid_parameter (too many buckets) */
function chartOf({ visitors, views, events }: WebStates, visits: Visits, plan: WebOverviewPlan, { identities }: RowContext): WebOverview["chart"] {
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

type Lists = Pick<WebOverview, "entryPages" | "exitPages" | "sources" | "mediums" | "campaigns" | "countries" | "devices" | "browsers" | "systems">;

async function listsOf(visits: Visits<SessionView>, context: RowContext, limit: number, { scratch, pause }: Counting): Promise<Lists> {
  const [path, touches] = [pathsOf(context), touchKeysOf(context)];
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
