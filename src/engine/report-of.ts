import type { Plan, ReportName } from "../plan/plan.js";
import type { Report } from "../report/form/report.js";
import { reports } from "../report/reports.js";

/** The mapped type pairs name and report; the compiler cannot follow it through a generic name. */
export function reportOf<K extends ReportName>({ report }: Plan<K>): Report<K> {
  return (reports as { readonly [N in ReportName]: unknown })[report] as Report<K>;
}
