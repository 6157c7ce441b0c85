/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the payments */
import { compareCodePoints } from "../base/order.js";
import type { UnconvertedItem } from "../plan/answers.js";
import { ZERO, addMoney, majorUnits } from "./money.js";
import type { Money } from "./money.js";
import type { RevenueTable } from "./revenue-table.js";

/** An order is a positive amount: each order key counts once, so its payments are told by their sign alone. */
export function isOrder(amount: Money): boolean {
  return amount > 0;
}

/** Sums by currency of counted payments for which no rate is known. */
export function unconvertedItems({ payments: { amounts, currencies } }: RevenueTable, places: readonly number[]): UnconvertedItem[] {
  const sums = new Map<string, { money: Money; orders: number }>();
  for (const place of places) {
    const currency = currencies[place]!;
    const { money, orders } = sums.get(currency) ?? { money: ZERO, orders: 0 };
    sums.set(currency, { money: addMoney(money, amounts[place]!), orders: orders + (isOrder(amounts[place]!) ? 1 : 0) });
  }
  return [...sums]
    .sort(([a], [b]) => compareCodePoints(a, b))
    .map(([currency, { money, orders }]) => ({ currency, revenue: majorUnits(money, currency), orders }));
}
