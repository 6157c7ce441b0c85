import { checkedRate } from "../../query/answer/checked-rate.js";
import { convertMoney, isNegative, moneyOfNumber, negated, timesMoney, type Money } from "../../query/answer/money.js";
import { isOrder } from "../../query/answer/unconverted.js";
import { isoOfDay } from "../../core/base/time.js";
import type { Rates } from "../../query/plan/input.js";

/** A group of similar payments: an amount, how often it counts, and the number of payments. */
export type PaymentColumns = [amount: string, times: number, count: number, isRefund: boolean, currencies: readonly string[], day: number];

/** Payments as one sum, in their own currency, and in the reporting currency where a rate is known. */
export interface Paid {
  readonly amount: Money;
  readonly currency: string;
  readonly converted: Money | null;
  readonly count: number;
  readonly orderCount: number;
}

/** Converts amounts to the reporting currency. Calls `rates` once per currency and day. */
export class Conversion {
  readonly #known = new Map<string, number | undefined>();

  constructor(
    readonly reporting: string,
    readonly rates: Rates | undefined,
  ) {}

  /** @throws invalid_parameter (a rate that is not a number above 0) */
  paid([text, times, count, isRefund, currencies, day]: PaymentColumns): Paid {
    const sent = timesMoney(moneyOfNumber(text), times);
    const amount = isRefund && !isNegative(sent) ? negated(sent) : sent;
    const orderCount = isOrder(amount) ? count : 0;
    const told = currencies.map((currency) => currency.trim()).find((currency) => currency !== "") ?? this.reporting;
    const currency = /^[a-z]{3}$/i.test(told) ? told.toUpperCase() : told;
    if (currency === this.reporting) return { amount, currency, converted: amount, count, orderCount };
    const rate = /^[A-Z]{3}$/.test(currency) ? this.#rateOf(currency, isoOfDay(day).slice(0, 10)) : undefined;
    return { amount, currency, converted: rate === undefined ? null : convertMoney(amount, rate), count, orderCount };
  }

  #rateOf(currency: string, day: string): number | undefined {
    const key = `${currency} ${day}`;
    if (!this.#known.has(key)) this.#known.set(key, checkedRate(this.rates?.(currency, this.reporting, day), currency, this.reporting, day));
    return this.#known.get(key);
  }
}
