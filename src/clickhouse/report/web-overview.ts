import { LIMITS } from "../../core/base/limits.js";
import { bothExtents, slotsOf, type Extent, type Slot } from "../../query/answer/insights/buckets.js";
import { NOT_SET, NO_TOUCH, ONLINE_MS, webFigures } from "../../query/answer/visits/visits.js";
import type { WebOverview, WebVisits, WebFigures } from "../../query/plan/insights/answers.js";
import type { WebOverviewPlan } from "../../query/plan/insights/plan.js";
import type { Range } from "../../query/plan/plan.js";
import type { RequiredJoins } from "../query/required-joins.js";
import { isTouch, TOUCH_DIMENSIONS, touchOf } from "../query/touch.js";
import { joined, name, sql, text, texts, whole, type Sql } from "../sql/sql.js";
import { extentOf, identityCount, insight, selectRows, unitOf, type ReportContext } from "./report.js";
import { fromSessions } from "./session-rows.js";
import { ALL_SESSIONS, countedLists, unitValue, visitShape, type CountedList, type CountedValue, type ValueList } from "./visit-figures.js";

const FIELDS = ["location_country", "device", "browser", "os"] as const;

/** What the lists need of the first event of a visit besides its page: its touch by dimension, and its fields. */
function toldOf({ touch }: WebOverviewPlan): Sql {
  const touches = TOUCH_DIMENSIONS.map((dimension) => {
    const value = touchOf(dimension, touch);
    return sql`multiIf(NOT ${isTouch(touch)}, ${text(NO_TOUCH[dimension])}, ${value} = '', ${text(NOT_SET)}, ${value})`;
  });
  return sql`[${joined([...touches, ...FIELDS.map((field) => sql`toString(${name(field)})`)], ", ")}]`;
}

type ListName = "entryPages" | "exitPages" | "sources" | "mediums" | "campaigns" | "countries" | "devices" | "browsers" | "systems";

const VALUES: Readonly<Record<ListName, Sql>> = {
  entryPages: sql`entryPage`,
  exitPages: sql`exitPage`,
  sources: sql`told[1]`,
  mediums: sql`told[2]`,
  campaigns: sql`told[3]`,
  countries: sql`told[4]`,
  devices: sql`told[5]`,
  browsers: sql`told[6]`,
  systems: sql`told[7]`,
};
const LISTS = Object.entries(VALUES) as readonly (readonly [ListName, Sql])[];

/** Events are counted in some statements; visits, with all lists of them, in one more, and in another one those of the previous range. */
export const webOverview = insight<"webOverview">(async (plan, context) => {
  const ofProject = { ...plan, eventName: null, where: [] };
  const events = await eventsOf(plan, plan.range, context);
  const { slots, all, bySlot, lists } = await fromSessions(plan, plan.range, context, async (rowsOf) => {
    const rows = rowsOf(visitShape(plan, () => toldOf(plan)));
    const slots = await chartSlots(plan, events.extent, rows, context);
    const named = Object.fromEntries(LISTS.map(([name, value]) => [name, { values: sql`[[${value}]]`, limit: plan.limit }])) as Record<ListName, ValueList>;
    const counted = await countedLists(rows, { all: ALL_SESSIONS, bySlot: { values: unitValue(slots), limit: null }, ...named }, "users", context);
    const lists = Object.fromEntries(LISTS.map(([name]) => [name, counted[name].counted.map(visitsOf)])) as Record<ListName, WebVisits[]>;
    return { slots, all: counted.all, bySlot: counted.bySlot, lists };
  });
  return {
    nowOnline: (await eventsOf(ofProject, { fromMs: plan.nowMs - ONLINE_MS, toMs: plan.nowMs + LIMITS.futureSkewMs + 1 }, context)).visitors,
    figures: webFigures(events.visitors, events.views, all.of()),
    previous: plan.previous === null ? null : await previousOf(plan, plan.previous, context),
    chart: plan.interval === null ? null : await chartOf(plan, slots, bySlot, context),
    pages: await pagesOf(plan, context),
    ...lists,
  };
});

function visitsOf({ values: [value = ""], users, sessions }: CountedValue): WebVisits {
  return { value, visitors: users, visits: sessions };
}

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
  const visits = await fromSessions(plan, range, context, async (rowsOf) =>
    (await countedLists(rowsOf(visitShape(plan, () => sql`''`)), { all: ALL_SESSIONS }, "users", context)).all.of());
  return webFigures(events.visitors, events.views, visits);
}

/** @throws invalid_parameter (too many buckets) */
async function chartSlots(plan: WebOverviewPlan, extent: Extent | null, visits: Sql, context: ReportContext): Promise<Slot[]> {
  if (plan.interval === null) return [];
  const isOpen = plan.isOpen.start || plan.isOpen.end;
  return slotsOf(plan, plan.interval, isOpen ? bothExtents(extent, await extentOf(sql`SELECT startMs AS ms FROM (${visits})`, context)) : null);
}

async function chartOf(plan: WebOverviewPlan, slots: readonly Slot[], visits: CountedList, context: ReportContext): Promise<NonNullable<WebOverview["chart"]>> {
  if (slots.length === 0) return [];
  const unit = unitOf(slots.map(({ unitMs }) => unitMs));
  const columns = (needs: RequiredJoins) => sql`${unit} AS unit, ${identityCount(needs)}, countIf(${isView(plan)})`;
  const rows = await context.connection.rows<[number, number, number]>(selectRows(plan, context, columns, sql`GROUP BY unit`));
  const byUnit = new Map(rows.map(([unitMs, ...figures]) => [unitMs, figures]));
  return slots.map(({ bucket, unitMs }) => {
    const [people = 0, views = 0] = byUnit.get(unitMs) ?? [];
    return { ...bucket, visitors: people, views, visits: visits.of(String(unitMs)).sessions };
  });
}

async function pagesOf(plan: WebOverviewPlan, context: ReportContext): Promise<WebOverview["pages"]> {
  const columns = (needs: RequiredJoins) => sql`extract(url, '^[^?#]*') AS page, ${identityCount(needs)} AS visitors, count() AS views`;
  const rest = sql`AND ${isView(plan)} GROUP BY page ORDER BY visitors DESC, views DESC, page LIMIT ${whole(plan.limit)}`;
  const rows = await context.connection.rows<[string, number, number]>(selectRows(plan, context, columns, rest));
  return rows.map(([value, people, views]) => ({ value, visitors: people, views }));
}
