import { DaybookError } from "../../base/errors.js";
import type { RevenueByAttribution } from "../../plan/answers.js";
import type { RevenueByAttributionInput } from "../../plan/input.js";
import type { OracleEvent } from "./event.js";
import { byCodePoint } from "./json.js";
import { byMoment } from "./moment.js";
import type { Payment } from "./payment.js";
import { touchOf } from "./touch.js";
import { windowOf, within } from "./window.js";
import type { World } from "./world.js";

/** The revenue of the window, split by who brought its payers. @throws project_not_found, invalid_date, invalid_date_range */
export function revenueByAttribution(world: World, input: RevenueByAttributionInput): RevenueByAttribution {
  const { revenue, rules } = world;
  const window = windowOf(input, rules.nowMs);
  const paid = revenue.countedOf(within(eventsOfProject(world, input.project), window));
  const conversions = paid.filter(revenue.isConvertible);
  const labels = conversions.map((payment) => labelOf(world, payment, input));
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

function labelOf(world: World, payment: Payment, input: RevenueByAttributionInput): string {
  const dimension = input.dimension ?? "source";
  const touches = touchesBefore(world, originOf(world, payment).event, input.level ?? "account");
  const touch = (input.model ?? "first_touch") === "first_touch" ? touches.at(0) : touches.at(-1);
  if (touch === undefined) return dimension === "source" ? "(direct)" : "(none)";
  return touch[dimension] ?? "(not set)";
}

/** The payment that a refund gives back, where it is known; any other payment itself. */
function originOf({ events, revenue }: World, payment: Payment): Payment {
  if (payment.micros >= 0n || payment.orderKey === "") return payment;
  const { project } = payment.event.record;
  const paid = revenue.countedOf(events).find(({ event, orderKey, micros }) => {
    return event.record.project === project && orderKey === payment.orderKey && micros >= 0n;
  });
  return paid ?? payment;
}

/** The touches, in order, that may have led to the payment in an event. */
function touchesBefore({ events, identities, companies, rules }: World, paying: OracleEvent, level: "account" | "identity") {
  const payer = identities.of(paying);
  if (payer === null) return [];
  const account = level === "account" ? companies.of(paying) : "";
  return events
    .filter((event) => (account === "" ? identities.of(event) === payer : companies.of(event) === account))
    .filter((event) => byMoment(event, paying) <= 0 && paying.createdAtMs - event.createdAtMs <= rules.lookbackMs)
    .map((event) => touchOf(event, rules))
    .filter((touch) => touch !== null);
}
