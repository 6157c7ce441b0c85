import type { FunnelInput, RetentionInput, TrendInput } from "../../src/query/plan/input.js";
import { percent, seconds } from "../../src/cli/print/answer.js";
import { count } from "../../src/cli/print/format.js";
import type { Section } from "./section.js";

/** A trend by week, as a sparkline. @param unit of the figures, such as `pounds` */
export async function weeks(section: Section, title: string, unit: string, input: TrendInput): Promise<void> {
  const { buckets, series } = await section.run((daybook) => daybook.trend({ ...input, interval: "week" }));
  section.sparkline(`${title} by week`, unit, buckets.map(({ local }) => local ?? ""), series[0]?.data ?? []);
}

/** A funnel. @param entities name of what is counted */
export async function steps(section: Section, title: string, entities: string, input: FunnelInput): Promise<void> {
  const answer = await section.run((daybook) => daybook.funnel(input));
  section.table(
    title,
    ["", entities, "of all", "of previous step", "median time"],
    answer.steps.map((step) => [step.name, count(step.entities), percent(step.conversionRate), percent(step.stepRate), step.fromEntry === null ? "" : seconds(step.fromEntry.medianSec)]),
  );
}

/** A retention triangle, one row per month of first events. The last month shown is that of `endDate`. */
export async function triangle(section: Section, title: string, input: RetentionInput & { readonly endDate: string }): Promise<void> {
  const { cohorts } = await section.run((daybook) => daybook.retention({ ...input, interval: "month", periods: 12 }));
  const lastMonth = input.endDate.slice(0, 7);
  const isCovered = (month: string, period: number) => monthNumber(month) + period <= monthNumber(lastMonth);
  section.table(
    title,
    ["month", "customers", ...Array.from({ length: 12 }, (_, at) => `+${at + 1}`)],
    cohorts.flatMap(({ bucket: { local }, size, periods }) =>
      local === null || size === 0 ? [] : [[local, count(size), ...periods.slice(1).map(({ entities }, at) => (isCovered(local, at + 1) ? count(entities ?? 0) : ""))]],
    ),
  );
}

function monthNumber(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5));
}
