import { byIdentity, visitList, type Visits, NOT_SET, NO_TOUCH, ONLINE_MS, webFigures } from "../../query/answer/visits/visits.js";
import { Scratch } from "../../core/base/scratch.js";
import type { WebOverview, WebVisits, WebFigures } from "../../query/plan/insights/answers.js";
import type { TouchDimension, TouchRule, Range } from "../../query/plan/plan.js";
import { isTouch, TOUCH_DIMENSIONS, touchOf } from "../query/touch.js";
import { joined, name, sql, texts, whole, type Sql } from "../sql/sql.js";
import { entryPage, exitPage, visitsIn, type KeyedVisits, type KeyOf, type VisitEvent } from "./visits.js";
import { bothExtents, slotsOf, type Extent } from "../../query/answer/insights/buckets.js";
import { LIMITS } from "../../core/base/limits.js";
import type { WebOverviewPlan } from "../../query/plan/insights/plan.js";
import type { RequiredJoins } from "../query/required-joins.js";
import { identityCount, insight, pauseOf, selectRows, TextNumbers, unitOf, type ReportContext } from "./report.js";

const FIELDS = ["location_country", "device", "browser", "os"] as const;

/** What the lists need besides urls, from the first event of a visit. */
type FirstEvent = readonly [isBrought: boolean, touch: readonly string[], fields: readonly string[]];

type FirstEvents = readonly VisitEvent<FirstEvent>[];

function firstEventOf({ touch }: { readonly touch: TouchRule }): Sql {
  const touches = joined(TOUCH_DIMENSIONS.map((dimension) => touchOf(dimension, touch)), ", ");
  const fields = joined(FIELDS.map((field) => sql`toString(${name(field)})`), ", ");
  return sql`, ${isTouch(touch)}, [${touches}], [${fields}]`;
}

type ListName = "entryPages" | "exitPages" | "sources" | "mediums" | "campaigns" | "countries" | "devices" | "browsers" | "systems";

const VALUES: Readonly<Record<ListName, (events: FirstEvents) => string>> = {
  entryPages: entryPage,
  exitPages: exitPage,
  sources: touchBy("source"),
  mediums: touchBy("medium"),
  campaigns: touchBy("campaign"),
  countries: fieldBy("location_country"),
  devices: fieldBy("device"),
  browsers: fieldBy("browser"),
  systems: fieldBy("os"),
};
const NAMES = Object.keys(VALUES) as ListName[];

function touchBy(dimension: TouchDimension): (events: FirstEvents) => string {
  return ([first]) => {
    const [, , , isBrought = false, touch = []] = first ?? [];
    const value = touch[TOUCH_DIMENSIONS.indexOf(dimension)] ?? "";
    return isBrought ? value || NOT_SET : NO_TOUCH[dimension];
  };
}

function fieldBy(field: (typeof FIELDS)[number]): (events: FirstEvents) => string {
  return ([first]) => first?.[5][FIELDS.indexOf(field)] ?? "";
}

class WebLists {
  readonly #texts = NAMES.map(() => new TextNumbers());

  get keys(): KeyOf<FirstEvent>[] {
    return this.#texts.map((texts, at) => (events) => texts.numberOf(VALUES[NAMES[at] ?? "entryPages"](events)));
  }

  async of({ visits, keys }: KeyedVisits, limit: number, pause: () => Promise<void>): Promise<Pick<WebOverview, ListName>> {
    return await Scratch.of(async (scratch) => {
      const people = await byIdentity(visits, scratch, pause);
      const lists: [ListName, WebVisits[]][] = [];
      for (const [at, texts] of this.#texts.entries())
        lists.push([NAMES[at] ?? "entryPages", await visitList(people, keys[at] ?? new Uint32Array(0), texts, limit, pause)]);
      return Object.fromEntries(lists) as Record<ListName, WebVisits[]>;
    });
  }
}

/** SQL counts visitors and page views; sessions are streamed person by person. */
export const webOverview = insight<"webOverview">(async (plan, context) => {
  const ofProject = { ...plan, eventName: null, where: [] };
  const events = await eventsOf(plan, plan.range, context);
  const lists = new WebLists();
  const keyed = await visitsIn<FirstEvent>(plan, plan.range, () => firstEventOf(plan), lists.keys, context);
  return {
    nowOnline: (await eventsOf(ofProject, { fromMs: plan.nowMs - ONLINE_MS, toMs: plan.nowMs + LIMITS.futureSkewMs + 1 }, context)).visitors,
    figures: await webFigures(events.visitors, events.views, keyed.visits, pauseOf(context)),
    previous: plan.previous === null ? null : await previousOf(plan, plan.previous, context),
    chart: await chartOf(plan, events.extent, keyed.visits, context),
    pages: await pagesOf(plan, context),
    ...(await lists.of(keyed, plan.limit, pauseOf(context))),
  };
});

type FigureRow = [visitors: number, views: number, firstMs: number, lastMs: number, count: number];

function isView({ pageviewSlugs }: WebOverviewPlan): Sql {
  return sql`slug IN ${texts(pageviewSlugs)}`;
}

async function eventsOf(plan: WebOverviewPlan, range: Range, context: ReportContext) {
  const columns = (needs: RequiredJoins) => sql`${identityCount(needs)}, countIf(${isView(plan)}), min(ms), max(ms), count()`;
  const statement = selectRows({ ...plan, range }, context, columns);
  const [[people, views, firstMs, lastMs, count] = [0, 0, 0, 0, 0]] = await context.connection.rows<FigureRow>(statement);
  return { visitors: people, views, extent: count === 0 ? null : { firstMs, lastMs } };
}

async function previousOf(plan: WebOverviewPlan, range: Range, context: ReportContext): Promise<WebFigures> {
  const events = await eventsOf(plan, range, context);
  const { visits } = await visitsIn(plan, range, () => sql``, [], context);
  return await webFigures(events.visitors, events.views, visits, pauseOf(context));
}

/** @throws invalid_parameter (too many buckets) */
async function chartOf(plan: WebOverviewPlan, extent: Extent | null, visits: Visits, context: ReportContext): Promise<WebOverview["chart"]> {
  if (plan.interval === null) return null;
  const slots = slotsOf(plan, plan.interval, bothExtents(extent, visits.extent));
  if (slots.length === 0) return [];
  const unit = unitOf(slots.map(({ unitMs }) => unitMs));
  const columns = (needs: RequiredJoins) => sql`${unit} AS unit, ${identityCount(needs)}, countIf(${isView(plan)})`;
  const rows = await context.connection.rows<[number, number, number]>(selectRows(plan, context, columns, sql`GROUP BY unit`));
  const byUnit = new Map(rows.map(([unitMs, ...figures]) => [unitMs, figures]));
  return slots.map((slot) => {
    const [people = 0, views = 0] = byUnit.get(slot.unitMs) ?? [];
    return { ...slot.bucket, visitors: people, views, visits: visits.within(slot).count };
  });
}

async function pagesOf(plan: WebOverviewPlan, context: ReportContext): Promise<WebOverview["pages"]> {
  const columns = (needs: RequiredJoins) => sql`extract(url, '^[^?#]*') AS page, ${identityCount(needs)} AS visitors, count() AS views`;
  const rest = sql`AND ${isView(plan)} GROUP BY page ORDER BY visitors DESC, views DESC, page LIMIT ${whole(plan.limit)}`;
  const rows = await context.connection.rows<[string, number, number]>(selectRows(plan, context, columns, rest));
  return rows.map(([value, people, views]) => ({ value, visitors: people, views }));
}
