import type { FunnelInput, RetentionInput, TrendInput } from "../../src/query/plan/insights/input.js";
import { percent, seconds } from "../../src/cli/print/answer.js";
import { count } from "../../src/cli/print/format.js";
import type { Section } from "./section.js";

/** Something by week, as a line of bars. @param unit what the figures are, such as `pounds` */
export async function weeks(section: Section, title: string, unit: string, question: TrendInput): Promise<void> {
  const { buckets, series } = await section.ask((daybook) => daybook.trend({ ...question, interval: "week" }));
  section.course(`${title} by week`, unit, buckets.map(({ local }) => local ?? ""), series[0]?.data ?? []);
}

/** How many went how far. @param entities what is counted */
export async function steps(section: Section, title: string, entities: string, question: FunnelInput): Promise<void> {
  const answer = await section.ask((daybook) => daybook.funnel(question));
  section.table(
    title,
    ["", entities, "of all", "of previous step", "median time"],
    answer.steps.map((step) => [step.name, count(step.entities), percent(step.conversionRate), percent(step.stepRate), step.fromEntry === null ? "" : seconds(step.fromEntry.medianSec)]),
  );
}

/** Who came back, a line for the newcomers of each month: the last month that is told of is that of the newest data. */
export async function triangle(section: Section, title: string, question: RetentionInput & { readonly endDate: string }): Promise<void> {
  const { cohorts } = await section.ask((daybook) => daybook.retention({ ...question, interval: "month", periods: 12 }));
  const lastMonth = question.endDate.slice(0, 7);
  const isToldOf = (month: string, period: number) => monthNumber(month) + period <= monthNumber(lastMonth);
  section.table(
    title,
    ["month", "customers", ...Array.from({ length: 12 }, (_, at) => `+${at + 1}`)],
    cohorts.flatMap(({ bucket: { local }, size, periods }) =>
      local === null || size === 0 ? [] : [[local, count(size), ...periods.slice(1).map(({ entities }, at) => (isToldOf(local, at + 1) ? count(entities ?? 0) : ""))]],
    ),
  );
}

function monthNumber(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5));
}
