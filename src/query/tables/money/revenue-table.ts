import { dayOf, isoOfDay } from "../../../core/base/time.js";
import type { Rates } from "../../plan/input.js";
import { conversionAt, type Money } from "../../answer/money.js";
import { checkedRate } from "../../answer/attribution.js";
import type { Payments } from "./payments.js";

/** A currency on a day, for which a rate is requested. */
export interface Quote {
  readonly currency: string;
  readonly day: string;
}

/** Quote numbers of payments in the reporting currency, and of payments without a valid currency. */
export const REPORTING = -1;
export const NO_CURRENCY = -2;

/** The quotes that payments need, each once. */
export class Quotes {
  readonly all: Quote[] = [];
  /** Whether any payment is not in the reporting currency. */
  hasOthers = false;
  /** By currency and UTC day. */
  readonly #numbers = new Map<string, Map<number, number>>();

  constructor(readonly reporting: string) {}

  /** The index of a quote in `all`, or `REPORTING` or `NO_CURRENCY`. */
  numberOf(currency: string, ms: number): number {
    if (currency === this.reporting) return REPORTING;
    this.hasOthers = true;
    let numbers = this.#numbers.get(currency);
    if (numbers === undefined) this.#numbers.set(currency, (numbers = new Map<number, number>()));
    const day = dayOf(ms);
    let number = numbers.get(day);
    if (number === undefined) {
      number = /^[A-Z]{3}$/.test(currency) ? this.all.push({ currency, day: isoOfDay(day).slice(0, 10) }) - 1 : NO_CURRENCY;
      numbers.set(day, number);
    }
    return number;
  }
}

/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the payments */
/**
 * Amounts in the reporting currency. Each query requests the rates, once per currency and day; all amounts are converted again when one of them
 * changes, otherwise only those of new payments.
 */
class ConvertedAmounts {
  #rates: readonly (number | undefined)[] = [];
  /** By quote. */
  #conversions: readonly (((amount: Money) => Money) | undefined)[] = [];
  #amounts: (Money | null)[] = [];
  #generation = -1;

  constructor(readonly payments: Payments) {}

  /** By position of the payment; null when no rate is known. Valid within the tick. @throws invalid_parameter (a rate that is no number above 0) */
  of(rates: Rates): readonly (Money | null)[] {
    const { amounts, count, generation, quotes } = this.payments;
    if (!quotes.hasOthers) return amounts;
    const { reporting } = quotes;
    const asked = quotes.all.map(({ currency, day }) => checkedRate(rates(currency, reporting, day), currency, reporting, day));
    const isAnew = this.#generation !== generation || this.#rates.some((rate, at) => rate !== asked[at]);
    if (isAnew) this.#amounts = [];
    if (isAnew || asked.length > this.#rates.length) this.#conversions = asked.map((rate) => (rate === undefined ? undefined : conversionAt(rate)));
    this.#generation = generation;
    this.#rates = asked;
    for (let place = this.#amounts.length; place < count; place += 1) this.#amounts.push(this.#convert(place));
    return this.#amounts;
  }

  #convert(place: number): Money | null {
    const { quoteOf, amounts } = this.payments;
    const quote = quoteOf[place]!;
    if (quote === REPORTING) return amounts[place]!;
    return this.#conversions[quote]?.(amounts[place]!) ?? null;
  }
}

/** The revenue events of a store, duplicates marked, in the reporting currency. Read it in the tick in which it was brought up to date. */
export class RevenueTable {
  readonly #converted: ConvertedAmounts;

  constructor(readonly payments: Payments) {
    this.#converted = new ConvertedAmounts(payments);
  }

  /** Amounts in the reporting currency by position of the payment; null when no rate is known. @throws invalid_parameter (a bad rate) */
  converted(rates: Rates): readonly (Money | null)[] {
    return this.#converted.of(rates);
  }
}

/** A revenue event of an actor. */
export interface PaymentOf {
  readonly ms: number;
  readonly sequence: number;
  /** Its amount in the reporting currency; null for a duplicate, or an unknown rate. */
  readonly amount: Money | null;
}

/** The payments of some actors, duplicates included. Cost: their number. @throws invalid_parameter (a bad rate) */
export function paymentsOf(table: RevenueTable, actors: readonly number[], rates: Rates): PaymentOf[] {
  const { payments } = table;
  const converted = table.converted(rates);
  return actors.flatMap((actor) =>
    payments.placesOf(actor).map((place) => ({
      ms: payments.times[place]!,
      sequence: payments.sequences[place]!,
      amount: payments.counted[place] === 0 ? null : converted[place]!,
    })));
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */
