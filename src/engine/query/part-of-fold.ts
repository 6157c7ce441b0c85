import type { Plan, ReportName } from "../../query/plan/plan.js";
import type { CachedState, Pass } from "../../query/reports/form/pass.js";
import type { AnyFold, FoldContext } from "../../query/reports/form/report.js";

/** The single part of a query that is a fold. @param read what the report read from tables */
export function partOfFold<K extends ReportName>(report: AnyFold<K>, plan: Plan<K>, context: FoldContext, read: unknown): Pass<unknown, unknown> {
  const kept = keptOf(report, plan, context);
  return {
    scopes: [plan],
    columns: report.columns(plan, context),
    begin: () => report.begin(plan, context, read),
    scan: (state, rows) => report.scan(state, rows, context),
    ...(report.scanWho === undefined ? {} : { scanWho: report.scanWho }),
    ...(report.only === undefined ? {} : { only: report.only }),
    ...(kept === null ? {} : { kept }),
    ...(report.isDone === undefined ? {} : { isDone: report.isDone }),
    keepsRows: report.keepsRows === true,
  };
}

function keptOf<K extends ReportName>({ kept }: AnyFold<K>, plan: Plan<K>, context: FoldContext): CachedState<unknown, unknown> | null {
  const key = kept?.key(plan, context) ?? null;
  if (kept === undefined || key === null) return null;
  return { ...kept, key: `${plan.report} ${key}` };
}
