import { compareCodePoints } from "../../core/base/order.js";
import type { RevenueByAttribution } from "../plan/answers.js";
import type { Plan } from "../plan/plan.js";
import { ZERO, addMoney, compareMoney, majorUnits, type Money } from "./money.js";
import type { Touch } from "./touch-of-text.js";

type Dimension = Plan<"revenueByAttribution">["dimension"];

interface AttributedSum {
  readonly revenue: Money;
  readonly orders: number;
}

/** Revenue by the requested part of touches. */
export class AttributedRevenue {
  readonly #sums = new Map<string, AttributedSum>();

  constructor(readonly dimension: Dimension) {}

  /** @param touch null for revenue without a touch */
  add(touch: Touch | null, revenue: Money, orders: number): void {
    const name = touchName(touch, this.dimension);
    const known = this.#sums.get(name) ?? { revenue: ZERO, orders: 0 };
    this.#sums.set(name, { revenue: addMoney(known.revenue, revenue), orders: known.orders + orders });
  }

  /** Revenue descending, then orders, then names by code point. */
  rows(limit: number, currency: string): RevenueByAttribution["rows"] {
    return [...this.#sums]
      .sort(([a, left], [b, right]) => compareMoney(right.revenue, left.revenue) || right.orders - left.orders || compareCodePoints(a, b))
      .slice(0, limit)
      .map(([dimension, { revenue, orders }]) => ({ dimension, revenue: majorUnits(revenue, currency), orders }));
  }
}

/** The requested part of a touch, or the name for none. */
export function touchName(touch: Touch | null, dimension: Dimension): string {
  if (touch === null) return dimension === "source" ? "(direct)" : "(none)";
  return touch[dimension] ?? "(not set)";
}
