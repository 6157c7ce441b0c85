import { DaybookError, shown } from "../base/errors.js";
import { compileRegexes } from "../filter/regex.js";
import type { PlanContext } from "../plan/context.js";
import type { Plan, ReportName } from "../plan/plan.js";
import { planners } from "../plan/planners.js";

/**
 * A question as every executor gets it: nothing is wrong with it, whatever is stored.
 * @param projects names of all projects
 * @throws what is wrong with the question
 */
export async function settle<K extends ReportName>(report: K, input: unknown, context: PlanContext, projects: () => readonly string[]): Promise<Plan<K>> {
  const plan: Plan<K> = planners[report](input, context);
  // Regular expressions are checked here, where the input still tells which filter is at fault.
  if (plan.where.some((group) => group.some((comparison) => comparison.test.op === "regex")))
    await compileRegexes(plan.where, (input as { filterGroups?: unknown } | undefined)?.filterGroups);
  if ("payProject" in plan && !projects().includes(plan.payProject))
    throw new DaybookError("project_not_found", `project: there is no project ${shown(plan.payProject)}`, { param: "project" });
  return plan;
}
