import { assert } from "../../base/assert.js";
import type { Plan, ReportName, QueryScope } from "../../plan/plan.js";
import { segmentsOf } from "../../plan/scopes-of.js";
import type { Report } from "../../report/form/report.js";
import { reports } from "../../report/reports.js";
import type { AskedSegments } from "./segment-members.js";

let Segments: typeof AskedSegments | null = null;
let known: { readonly [N in ReportName]?: unknown } = reports;

/** Loads the report of a plan, and what finds members: those of insights are as much code as all others, and many programs never ask one. */
export async function loadReport(plan: Plan): Promise<void> {
  if (!(plan.report in known)) known = { ...known, ...(await import("./insights.js")).insightReports };
  if (segmentsOf(plan).length > 0) Segments ??= (await import("./insights.js")).AskedSegments;
}

/** The segments that scopes of a loaded plan name; null where none was ever loaded: then they name none. */
export function askedSegments(scopes: readonly QueryScope[]): AskedSegments | null {
  return Segments === null ? null : new Segments(scopes);
}

/** The report of a plan, once it is loaded. The mapped type pairs name and report; the compiler cannot follow it through a generic name. */
export function reportOf<K extends ReportName>({ report }: Plan<K>): Report<K> {
  const own = known[report];
  assert(own !== undefined, "a report is loaded before it is asked");
  return own as Report<K>;
}
