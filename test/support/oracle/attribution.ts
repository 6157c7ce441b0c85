import { DaybookError } from "../../../src/core/base/errors.js";
import type { RevenueByAttribution } from "../../../src/query/plan/answers.js";
import type { RevenueByAttributionInput } from "../../../src/query/plan/input.js";
import type { OracleEvent } from "./event.js";
import { byCodePoint } from "./json.js";
import { touchLabel } from "./touch-label.js";
import { windowOf, within } from "./window.js";
import type { World } from "./world.js";

/** The revenue of the window, split by who brought its payers. @throws project_not_found, invalid_date, invalid_date_range */
export function revenueByAttribution(world: World, input: RevenueByAttributionInput): RevenueByAttribution {
  const { revenue, rules } = world;
  const window = windowOf(input, rules.nowMs);
  const paid = revenue.countedOf(within(eventsOfProject(world, input.project), window));
  const conversions = paid.filter(revenue.isConvertible);
  const { model, level, dimension } = input;
  const kind = { model: model ?? "first_touch", level: level ?? "account", dimension: dimension ?? "source" };
  const labels = conversions.map(({ event }) => touchLabel(world, event, kind));
  const rows = [...new Set(labels)].map((dimension) => {
    const own = conversions.filter((_, index) => labels[index] === dimension);
    return { dimension, exact: revenue.sumOf(own), orders: revenue.ordersOf(own) };
  });
  rows.sort((a, b) => descending(a.exact, b.exact) || b.orders - a.orders || byCodePoint(a.dimension, b.dimension));
  return {
    currency: rules.currency,
    rows: rows.slice(0, input.limit ?? 20).map(({ dimension, exact, orders }) => ({ dimension, revenue: revenue.shown(exact), orders })),
    unconverted: revenue.unconvertedOf(paid),
  };
}

/** The events of a project. @throws project_not_found (it has none, and is not `default`) */
export function eventsOfProject({ events }: World, project: string): OracleEvent[] {
  const own = events.filter(({ record }) => record.project === project);
  if (own.length === 0 && project !== "default") throw new DaybookError("project_not_found", `no project is called ${project}`);
  return own;
}

/** Orders exact amounts, the largest first. */
export function descending(a: bigint, b: bigint): number {
  return a > b ? -1 : a < b ? 1 : 0;
}
