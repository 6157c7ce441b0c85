/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the payments */
import { checkedRate } from "../../answer/checked-rate.js";
import { dayOf, isoOfDay } from "../../base/time.js";
import type { Rates } from "../../plan/input.js";
import { convertMoney } from "../../answer/money.js";
import type { Money } from "../../answer/money.js";
import type { Payments } from "./payments.js";

/** A currency on a day: what a rate is asked for. */
interface Quote {
  readonly currency: string;
  readonly day: string;
}

const REPORTING = -1;
const NO_CURRENCY = -2;

/**
 * Amounts in the reporting currency. Rates are asked at every question, once per currency and day; all amounts are converted anew
 * when one of them changed, else those of payments that came since.
 */
export class ConvertedAmounts {
  #quotes: Quote[] = [];
  #quoteNumbers = new Map<string, number>();
  /** Quote of each payment, or why it has none. */
  #quoteOf: number[] = [];
  #rates: readonly (number | undefined)[] = [];
  #amounts: (Money | null)[] = [];
  #generation = -1;

  constructor(
    readonly payments: Payments,
    readonly reporting: string,
  ) {}

  /** By the place of the payment; null where no rate is known. Valid within the turn. @throws invalid_parameter (a rate that is no number above 0) */
  of(rates: Rates): readonly (Money | null)[] {
    const { payments, reporting } = this;
    if (this.#generation !== payments.generation) this.#reset();
    for (let place = this.#quoteOf.length; place < payments.count; place += 1) this.#quoteOf.push(this.#quoteNumber(place));
    const asked = this.#quotes.map(({ currency, day }) => checkedRate(rates(currency, reporting, day), currency, reporting, day));
    if (this.#rates.some((rate, at) => rate !== asked[at])) this.#amounts = [];
    this.#rates = asked;
    for (let place = this.#amounts.length; place < payments.count; place += 1) this.#amounts.push(this.#convert(place));
    return this.#amounts;
  }

  #reset(): void {
    this.#quotes = [];
    this.#quoteNumbers = new Map();
    this.#quoteOf = [];
    this.#rates = [];
    this.#amounts = [];
    this.#generation = this.payments.generation;
  }

  #convert(place: number): Money | null {
    const quote = this.#quoteOf[place]!;
    const amount = this.payments.amounts[place]!;
    if (quote === REPORTING) return amount;
    const rate = this.#rates[quote];
    return rate === undefined ? null : convertMoney(amount, rate);
  }

  #quoteNumber(place: number): number {
    const currency = this.payments.currencies[place]!;
    if (currency === this.reporting) return REPORTING;
    if (!/^[A-Z]{3}$/.test(currency)) return NO_CURRENCY;
    const day = isoOfDay(dayOf(this.payments.times[place]!)).slice(0, 10);
    const key = `${currency} ${day}`;
    const known = this.#quoteNumbers.get(key);
    if (known !== undefined) return known;
    const quote = this.#quotes.push({ currency, day }) - 1;
    this.#quoteNumbers.set(key, quote);
    return quote;
  }
}
