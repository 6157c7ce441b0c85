import { compareCodePoints } from "../base/order.js";
import type { UnconvertedItem } from "../plan/answers.js";
import { ZERO, addMoney, majorUnits, type Money } from "./money.js";

/** An order is a positive amount: each order key counts once, so its payments are told by their sign alone. */
export function isOrder(amount: Money): boolean {
  return amount > 0;
}

/** Sums by currency of counted payments for which no rate is known, currencies by code point. */
export class Unconverted {
  readonly #sums = new Map<string, { money: Money; orders: number }>();

  /** @param orderCount how many orders the amount is of */
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
