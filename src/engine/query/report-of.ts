import { assert } from "../../core/base/errors.js";
import type { Plan, ReportName, Answer } from "../../query/queries.js";
import type { QueryScope, AnyPlan } from "../../query/plan/plan.js";
import { segmentsOf } from "../../query/plan/scopes-of.js";
import type { Report, AnySinglePass, PassContext, CachedState, AnyPass } from "../../query/reports/form/report.js";
import { reports } from "../../query/reports/reports.js";
import type { NamedSegments } from "./segment-members.js";

let Segments: typeof NamedSegments | null = null;
let insights: { readonly [N in ReportName]?: unknown } = {};

/** Loads the report and the segments code of a plan: insights are as much code as all other reports, and many programs run none. */
export async function loadReport(plan: Plan): Promise<void> {
  if (reports[plan.report].report === null && !(plan.report in insights)) ({ insightReports: insights } = await import("./insights.js"));
  if (segmentsOf(plan).length > 0) Segments ??= (await import("./insights.js")).NamedSegments;
}

/** The segments that scopes of a loaded plan name; null if the code of segments was never loaded: then they name none. */
export function namedSegments(scopes: readonly QueryScope[]): NamedSegments | null {
  return Segments === null ? null : new Segments(scopes);
}

/** The report of a plan, once loaded. The cast: a mapped type pairs name and report, which the compiler cannot follow through a generic name. */
export function reportOf<K extends ReportName>({ report }: Plan<K>): Report<Plan<K>, Answer<K>> {
  const own = reports[report].report ?? insights[report];
  assert(own !== undefined, "a report is loaded before it runs");
  return own as Report<Plan<K>, Answer<K>>;
}

/** The pass of a report that has only one. @param read what the report read from tables */
export function passOfSinglePass<P extends AnyPlan, A>(report: AnySinglePass<P, A>, plan: P, context: PassContext, read: unknown): AnyPass {
  const kept = keptOf(report, plan, context);
  return {
    scopes: [plan],
    columns: report.columns(plan, context),
    begin: () => report.begin(plan, context, read),
    scan: (state, rows) => report.scan(state, rows, context),
    ...(report.scanActors === undefined ? {} : { scanActors: report.scanActors }),
    ...(report.only === undefined ? {} : { only: report.only }),
    ...(kept === null ? {} : { kept }),
    ...(report.isDone === undefined ? {} : { isDone: report.isDone }),
    keepsRows: report.keepsRows === true,
  };
}

function keptOf<P extends AnyPlan, A>({ kept }: AnySinglePass<P, A>, plan: P, context: PassContext): CachedState<unknown, unknown> | null {
  const key = kept?.key(plan, context) ?? null;
  if (kept === undefined || key === null) return null;
  return { ...kept, key: `${plan.report} ${key}` };
}
