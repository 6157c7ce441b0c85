/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the payments */
import { DaybookError, shown } from "../base/errors.js";
import { dayOf, isoOfDay } from "../base/time.js";
import { convertMoney } from "./money.js";
import type { Money } from "./money.js";
import type { Rates } from "../plan/input.js";
import type { Payments } from "./revenue-payments.js";

/** A currency on a day: what a rate is asked for. */
interface Quote {
  readonly currency: string;
  readonly day: string;
}

const REPORTING = -1;
const NO_CURRENCY = -2;

/**
 * Amounts in the reporting currency. Rates are asked at every question, once per currency and day; amounts are converted
 * when one of them changed.
 */
export class ConvertedAmounts {
  readonly #quotes: Quote[] = [];
  /** Quote of each payment that has no base, or why it has none; null where all are in the reporting currency. */
  readonly #quoteOf: Int32Array | null;
  /** What `#amounts` was made of. */
  #before: readonly (Money | null)[] = [];
  #rates: readonly (number | undefined)[] = [];
  #amounts: readonly (Money | null)[] | null = null;

  /** @param base those of the payments that these follow */
  constructor(
    readonly payments: Payments,
    readonly base: ConvertedAmounts | null,
    readonly reporting: string,
  ) {
    const { currencies } = payments.own;
    this.#quoteOf = currencies.every((currency) => currency === reporting) ? null : this.#findQuotes(currencies);
  }

  /** By the place of the payment; null where no rate is known. @throws invalid_parameter (a rate that is no number above 0) */
  of(rates: Rates): readonly (Money | null)[] {
    const { payments, reporting } = this;
    const before = this.base === null ? [] : this.base.of(rates);
    const asked = this.#quotes.map(({ currency, day }) => checkRate(rates(currency, reporting, day), currency, reporting, day));
    const isKept = (this.base === null || before === this.#before) && asked.every((rate, at) => rate === this.#rates[at]);
    if (this.#amounts !== null && isKept) return this.#amounts;
    this.#before = before;
    this.#rates = asked;
    this.#amounts = before.concat(payments.own.amounts.map((amount, at) => this.#convert(amount, at)));
    return this.#amounts;
  }

  #convert(amount: Money, at: number): Money | null {
    const quote = this.#quoteOf === null ? REPORTING : this.#quoteOf[at]!;
    if (quote === REPORTING) return amount;
    const rate = this.#rates[quote];
    return rate === undefined ? null : convertMoney(amount, rate);
  }

  #findQuotes(currencies: readonly string[]): Int32Array {
    const known = new Map<string, number>();
    return Int32Array.from(currencies, (currency, at) => {
      if (currency === this.reporting) return REPORTING;
      if (!/^[A-Z]{3}$/.test(currency)) return NO_CURRENCY;
      const day = isoOfDay(dayOf(this.payments.timeAt(this.payments.start + at))).slice(0, 10);
      const key = `${currency} ${day}`;
      let quote = known.get(key);
      if (quote === undefined) {
        quote = this.#quotes.push({ currency, day }) - 1;
        known.set(key, quote);
      }
      return quote;
    });
  }
}

function checkRate(rate: number | undefined, from: string, to: string, day: string): number | undefined {
  if (rate === undefined || (typeof rate === "number" && Number.isFinite(rate) && rate > 0)) return rate;
  const reason = `expected a number above 0 for ${from} to ${to} on ${day}, got ${shown(rate)}`;
  throw new DaybookError("invalid_parameter", `rates: ${reason}`, { param: "rates", reason });
}
