/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the payments */
import type { Rates } from "../../plan/input.js";
import type { Money } from "../../answer/money.js";
import type { Payments } from "./payments.js";
import { ConvertedAmounts } from "./revenue-rates.js";

/** The revenue events of a store, duplicates marked, in the reporting currency. Read within the turn in which it was brought up to date. */
export class RevenueTable {
  readonly #converted: ConvertedAmounts;

  constructor(readonly payments: Payments) {
    this.#converted = new ConvertedAmounts(payments);
  }

  /** By the place of the payment: its amount in the reporting currency; null where no rate is known. @throws invalid_parameter (a bad rate) */
  converted(rates: Rates): readonly (Money | null)[] {
    return this.#converted.of(rates);
  }
}

/** A revenue event of somebody. */
export interface PaymentOf {
  readonly ms: number;
  readonly sequence: number;
  /** What it counts for in the reporting currency; null for a duplicate, or an unknown rate. */
  readonly amount: Money | null;
}

/** What some actors paid, duplicates included. Cost: their payments. @throws invalid_parameter (a bad rate) */
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
