import { compareCodePoints } from "../base/order.js";
import type { UnconvertedItem } from "../plan/answers.js";
import { ZERO, addMoney, majorUnits } from "./money.js";
import type { Money } from "./money.js";
import type { Payment } from "./revenue-table.js";

/** An order is a positive amount: each order key counts once, so its payments are told by their sign alone. */
export function isOrder({ amount }: Payment): boolean {
  return amount > 0;
}

/** Sums by currency of payments for which no rate is known. */
export function unconvertedItems(payments: Iterable<Payment>): UnconvertedItem[] {
  const sums = new Map<string, { money: Money; orders: number }>();
  for (const payment of payments) {
    if (payment.converted !== null) continue;
    const { money, orders } = sums.get(payment.currency) ?? { money: ZERO, orders: 0 };
    sums.set(payment.currency, { money: addMoney(money, payment.amount), orders: orders + (isOrder(payment) ? 1 : 0) });
  }
  return [...sums]
    .sort(([a], [b]) => compareCodePoints(a, b))
    .map(([currency, { money, orders }]) => ({ currency, revenue: majorUnits(money, currency), orders }));
}
