import { compareCodePoints } from "../../core/base/order.js";
import type { UnconvertedItem } from "../plan/answers.js";
import { ZERO, addMoney, majorUnits, type Money } from "./money.js";

/** Orders are positive amounts: each order key counts once, so the sign alone decides. */
export function isOrder(amount: Money): boolean {
  return amount > 0;
}

/** Sums of counted payments without a known rate, by currency in the order of code points. */
export class Unconverted {
  readonly #sums = new Map<string, { money: Money; orders: number }>();

  /** @param orderCount number of orders that the amount covers */
  add(currency: string, amount: Money, orderCount = isOrder(amount) ? 1 : 0): void {
    const { money, orders } = this.#sums.get(currency) ?? { money: ZERO, orders: 0 };
    this.#sums.set(currency, { money: addMoney(money, amount), orders: orders + orderCount });
  }

  items(): UnconvertedItem[] {
    return [...this.#sums]
      .sort(([a], [b]) => compareCodePoints(a, b))
      .map(([currency, { money, orders }]) => ({ currency, revenue: majorUnits(money, currency), orders }));
  }
}
