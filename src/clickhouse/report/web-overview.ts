import { bothExtents, slotsOf, type Extent } from "../../query/answer/insights/buckets.js";
import type { Visits } from "../../query/answer/visits/visits.js";
import { ONLINE_MS, webFigures } from "../../query/answer/visits/web-figures.js";
import { LIMITS } from "../../core/base/limits.js";
import type { WebFigures, WebOverview } from "../../query/plan/insights/answers.js";
import type { WebOverviewPlan } from "../../query/plan/insights/plan.js";
import type { Range } from "../../query/plan/plan.js";
import type { Needs } from "../query/needs.js";
import { sql, texts, whole, type Sql } from "../sql/sql.js";
import { unitOf } from "./entity-rows.js";
import { pauseOf, refuseAsOf, selectRows, type ReportContext, type StatementReport } from "./report.js";
import { visitsIn } from "./visit-table.js";
import { firstEventOf, WebLists, type FirstEvent } from "./web-lists.js";

/** SQL counts visitors and page views; sessions are streamed person by person. */
export const webOverview: StatementReport<"webOverview"> = async (plan, asking) => {
  refuseAsOf(plan);
  const ofProject = { ...plan, eventName: null, where: [] };
  const events = await eventsOf(plan, plan.range, asking);
  const lists = new WebLists();
  const keyed = await visitsIn<FirstEvent>(plan, plan.range, () => firstEventOf(plan), lists.keys, asking);
  return {
    definition: plan.definition,
    asOf: null,
    nowOnline: (await eventsOf(ofProject, { fromMs: plan.nowMs - ONLINE_MS, toMs: plan.nowMs + LIMITS.futureSkewMs + 1 }, asking)).visitors,
    figures: await webFigures(events.visitors, events.views, keyed.visits, pauseOf(asking)),
    previous: plan.previous === null ? null : await previousOf(plan, plan.previous, asking),
    chart: await chartOf(plan, events.extent, keyed.visits, asking),
    pages: await pagesOf(plan, asking),
    ...(await lists.of(keyed, plan.limit, pauseOf(asking))),
  };
};

type FigureRow = [visitors: number, views: number, firstMs: number, lastMs: number, count: number];

interface EventTotals {
  readonly visitors: number;
  readonly views: number;
  readonly extent: Extent | null;
}

const visitors = (needs: Needs): Sql => sql`uniqExactIf(${needs.who()} AS who, who != '')`;

function isView({ pageviewSlugs }: WebOverviewPlan): Sql {
  return sql`slug IN ${texts(pageviewSlugs)}`;
}

async function eventsOf(plan: WebOverviewPlan, range: Range, asking: ReportContext): Promise<EventTotals> {
  const columns = (needs: Needs) => sql`${visitors(needs)}, countIf(${isView(plan)}), min(ms), max(ms), count()`;
  const statement = selectRows({ ...plan, range }, asking, columns);
  const [[people, views, firstMs, lastMs, count] = [0, 0, 0, 0, 0]] = await asking.connection.rows<FigureRow>(statement, asking.signal);
  return { visitors: people, views, extent: count === 0 ? null : { firstMs, lastMs } };
}

async function previousOf(plan: WebOverviewPlan, range: Range, asking: ReportContext): Promise<WebFigures> {
  const events = await eventsOf(plan, range, asking);
  const { visits } = await visitsIn(plan, range, () => sql``, [], asking);
  return await webFigures(events.visitors, events.views, visits, pauseOf(asking));
}

/** @throws invalid_parameter (too many buckets) */
async function chartOf(plan: WebOverviewPlan, extent: Extent | null, visits: Visits, asking: ReportContext): Promise<WebOverview["chart"]> {
  if (plan.interval === null) return null;
  const slots = slotsOf(plan, plan.interval, bothExtents(extent, visits.extent));
  if (slots.length === 0) return [];
  const unit = unitOf(slots.map(({ unitMs }) => unitMs));
  const columns = (needs: Needs) => sql`${unit} AS unit, ${visitors(needs)}, countIf(${isView(plan)})`;
  const rows = await asking.connection.rows<[number, number, number]>(selectRows(plan, asking, columns, sql`GROUP BY unit`), asking.signal);
  const byUnit = new Map(rows.map(([unitMs, ...figures]) => [unitMs, figures]));
  return slots.map((slot) => {
    const [people = 0, views = 0] = byUnit.get(slot.unitMs) ?? [];
    return { ...slot.bucket, visitors: people, views, visits: visits.within(slot).count };
  });
}

async function pagesOf(plan: WebOverviewPlan, asking: ReportContext): Promise<WebOverview["pages"]> {
  const columns = (needs: Needs) => sql`extract(url, '^[^?#]*') AS page, ${visitors(needs)} AS visitors, count() AS views`;
  const rest = sql`AND ${isView(plan)} GROUP BY page ORDER BY visitors DESC, views DESC, page LIMIT ${whole(plan.limit)}`;
  const rows = await asking.connection.rows<[string, number, number]>(selectRows(plan, asking, columns, rest), asking.signal);
  return rows.map(([value, people, views]) => ({ value, visitors: people, views }));
}
