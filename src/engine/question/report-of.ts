import { assert } from "../../base/assert.js";
import type { Plan, ReportName } from "../../plan/plan.js";
import type { Report } from "../../report/form/report.js";
import { reports } from "../../report/reports.js";

let known: { readonly [N in ReportName]?: unknown } = reports;

/** Loads the report of a plan: those of insights are as much code as all others, and many programs never ask one. */
export async function loadReport({ report }: Plan): Promise<void> {
  if (!(report in known)) known = { ...known, ...(await import("../../report/insight-reports.js")).insightReports };
}

/** The report of a plan, once it is loaded. The mapped type pairs name and report; the compiler cannot follow it through a generic name. */
export function reportOf<K extends ReportName>({ report }: Plan<K>): Report<K> {
  const own = known[report];
  assert(own !== undefined, "a report is loaded before it is asked");
  return own as Report<K>;
}
