import { DaybookError, shown } from "../../core/base/errors.js";
import { compileRegex } from "../../query/filter/regex.js";
import type { Pattern, PlanContext } from "../../query/plan/context.js";
import type { Plan, ReportName } from "../../query/plan/plan.js";
import { planners } from "../../query/plan/planners.js";

/** What planning needs besides the input. */
export type SettleContext = Omit<PlanContext, "patterns">;

/** Plans a query for any executor: fully validated, whatever is stored. @param projects names of all projects @throws the error in the query */
export async function settle<K extends ReportName>(report: K, input: unknown, context: SettleContext, projects: () => readonly string[]): Promise<Plan<K>> {
  const patterns: Pattern[] = [];
  const plan: Plan<K> = planners[report](input, { ...context, patterns });
  await checkPatterns(patterns);
  if ("payProject" in plan && !projects().includes(plan.payProject))
    throw new DaybookError("project_not_found", `project: there is no project ${shown(plan.payProject)}`, { param: "project" });
  return plan;
}

/** Compiles the patterns that planning only measured. @throws invalid_regex for the first invalid one */
export async function checkPatterns(patterns: readonly Pattern[]): Promise<void> {
  const known = new Set<string>();
  for (const { pattern, param } of patterns) {
    if (!known.has(pattern)) await compileRegex(pattern, param);
    known.add(pattern);
  }
}
