/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the payments */
import type { Rates } from "../../plan/input.js";
import { type Money, conversionAt } from "../../answer/money.js";
import { checkedRate } from "../../answer/checked-rate.js";
import type { Payments } from "./payments.js";
import { REPORTING } from "./quotes.js";

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
