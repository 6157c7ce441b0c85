import type { OracleEvent } from "./event.js";
import { byMoment } from "./moment.js";
import { paymentOf } from "./payment.js";
import type { Touch } from "./touch.js";
import type { World } from "./world.js";

/** Which touch an event is put down to, and what of it is told. */
interface LabelKind {
  readonly model: "first_touch" | "last_touch";
  readonly level: "account" | "identity";
  readonly dimension: keyof Touch;
}

/** Who brought what somebody paid, or did, in an event: a touch before it; of a refund the touch of its order. */
export function touchLabel(world: World, event: OracleEvent, { model, level, dimension }: LabelKind): string {
  const touches = touchesBefore(world, originOf(world, event), level);
  return shownLabel(model === "first_touch" ? touches.at(0) : touches.at(-1), dimension);
}

/** How a touch is called; that of nobody is undefined. */
export function shownLabel(touch: Touch | undefined, dimension: keyof Touch): string {
  if (touch === undefined) return dimension === "source" ? "(direct)" : "(none)";
  return touch[dimension] ?? "(not set)";
}

/** The payment that a refund gives back, where it is known; any other event itself. */
function originOf({ events, revenue, rules }: World, event: OracleEvent): OracleEvent {
  const refund = paymentOf(event, rules);
  if (refund === null || !refund.isRefund || refund.orderKey === "") return event;
  const { project } = event.record;
  const paid = revenue.countedOf(events).find((payment) => {
    return payment.event.record.project === project && payment.orderKey === refund.orderKey && !payment.isRefund;
  });
  return paid?.event ?? event;
}

/** The touches, in order, that may have led to what happened in an event. */
function touchesBefore({ events, identities, companies, rules, bringerOf }: World, paying: OracleEvent, level: "account" | "identity"): Touch[] {
  const payer = identities.of(paying);
  if (payer === null) return [];
  const account = level === "account" ? companies.of(paying) : "";
  return events
    .filter((event) => (account === "" ? identities.of(event) === payer : companies.of(event) === account))
    .filter((event) => byMoment(event, paying) <= 0 && paying.createdAtMs - event.createdAtMs <= rules.lookbackMs)
    .map(bringerOf)
    .filter((touch) => touch !== null);
}
