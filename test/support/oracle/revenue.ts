import type { RevenueByAttribution } from "../../../src/query/plan/answers.js";
import { digitsOf } from "./currency.js";
import { shownNumber, type Exact } from "./decimal.js";
import type { OracleEvent } from "./event.js";
import { byCodePoint } from "./json.js";
import { convertedAmount, countedPayments, paymentOf, type Payment } from "./payment.js";
import type { Rules } from "./rules.js";

/** Sums of counted payments. */
export interface Revenue {
  /** Whether an event is money, a duplicate or not. */
  isPayment(event: OracleEvent): boolean;
  /** The counted payments among events. */
  countedOf(events: readonly OracleEvent[]): Payment[];
  /** Net and exact, in the reporting currency; what cannot be converted is left out. */
  sumOf(payments: readonly Payment[]): Exact;
  /** Number of positive payments that can be converted. Those with an order key are the only ones with it, so they are its orders. */
  ordersOf(payments: readonly Payment[]): number;
  isConvertible(payment: Payment): boolean;
  /** What an exact amount in the reporting currency is shown as; divided by `count`. */
  shown(exact: Exact, count?: number): number;
  /** What cannot be converted, for each currency. */
  unconvertedOf(payments: readonly Payment[]): RevenueByAttribution["unconverted"];
}

/** Judges duplicates over all `events`, given in order of time and id. */
export function revenueOf(events: readonly OracleEvent[], rules: Rules): Revenue {
  const payments = events.map((event) => paymentOf(event, rules)).filter((payment) => payment !== null);
  const counted = countedPayments(payments);
  const isConvertible = (payment: Payment) => convertedAmount(payment, rules) !== null;
  return {
    isPayment: (event) => payments.some((payment) => payment.event === event),
    countedOf: (some) => counted.filter(({ event }) => some.includes(event)),
    sumOf: (some) => some.reduce((sum, payment) => sum + (convertedAmount(payment, rules) ?? 0n), 0n),
    ordersOf: (some) => some.filter(isConvertible).filter(({ picos }) => picos > 0n).length,
    isConvertible,
    shown: (exact, count) => shownNumber(exact, digitsOf(rules.currency), count),
    unconvertedOf: (some) => {
      const left = some.filter((payment) => !isConvertible(payment));
      const currencies = [...new Set(left.map(({ currency }) => currency))].sort(byCodePoint);
      return currencies.map((currency) => {
        const own = left.filter((payment) => payment.currency === currency);
        const sum = own.reduce((total, { picos }) => total + picos * 10n ** 18n, 0n);
        const orders = own.filter(({ picos }) => picos > 0n).length;
        return { currency, revenue: shownNumber(sum, digitsOf(currency)), orders };
      });
    },
  };
}
