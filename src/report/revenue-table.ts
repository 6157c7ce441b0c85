/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the payments */
import type { Rates } from "../plan/input.js";
import type { RevenueRule } from "../plan/plan.js";
import type { Rows } from "../segment/rows.js";
import { keptOf } from "./kept.js";
import type { Money } from "./money.js";
import type { ReportContext } from "./report.js";
import { OrderNumbers, RevenueSource } from "./revenue-facts.js";
import type { RevenueFacts } from "./revenue-facts.js";
import { OrderPlaces, Payments } from "./revenue-payments.js";
import { ConvertedAmounts } from "./revenue-rates.js";
import { makeInOrder } from "./row-order.js";

/** Payments, marked, and what was found out about them. */
class Book {
  readonly converted: ConvertedAmounts;
  #table: RevenueTable | null = null;

  constructor(
    readonly payments: Payments,
    readonly orders: OrderPlaces,
    base: Book | null,
    { currency }: RevenueRule,
  ) {
    orders.mark();
    this.converted = new ConvertedAmounts(payments, base === null ? null : base.converted, currency);
  }

  /** The same one as long as the rates are. */
  table(rates: Rates): RevenueTable {
    const converted = this.converted.of(rates);
    if (this.#table?.converted !== converted) this.#table = new RevenueTable(this.payments, this.orders, converted);
    return this.#table;
  }
}

/** The revenue events of a store, each order key once. */
export class RevenueTable {
  constructor(
    readonly payments: Payments,
    readonly orders: OrderPlaces,
    /** By the place of the payment: its amount in the reporting currency; null where no rate is known. */
    readonly converted: readonly (Money | null)[],
  ) {}

  /** Whether an event is revenue, duplicates included. */
  isRevenue(rows: Rows, row: number): boolean {
    return this.payments.placeOf(rows, row) !== -1;
  }

  /** What an event counts for in the reporting currency; null for no revenue, a duplicate, or an unknown rate. */
  amountOf(rows: Rows, row: number): Money | null {
    const place = this.payments.placeOf(rows, row);
    return place === -1 || this.payments.counted[place] === 0 ? null : this.converted[place]!;
  }
}

/**
 * The table of some segments and heads; columns of a segment are loaded when it is first met, and what sealed segments
 * tell is kept until they change. Cost: the rows of heads with amounts. @throws invalid_parameter (a bad rate)
 */
export async function revenueTable(parts: readonly Rows[], rule: RevenueRule, context: ReportContext): Promise<RevenueTable> {
  const { memo, dictionaries, rates } = context;
  const numbers = memo.of("order numbers", [dictionaries], () => new OrderNumbers());
  const source = new RevenueSource(rule, dictionaries, numbers);
  const bookOf = async (some: readonly Rows[], base: Book | null) => {
    const facts: RevenueFacts[] = [];
    for (const rows of some) {
      const loading = source.load(rows);
      if (loading !== null) await loading;
      facts.push(source.factsOf(rows));
    }
    const payments = new Payments(base === null ? null : base.payments, some, facts, numbers);
    const orders = await makeInOrder((compare) => new OrderPlaces(payments, base === null ? null : base.orders, compare));
    return new Book(payments, orders, base, rule);
  };
  // From old to new: what was first is met first.
  const sealed = parts.filter((rows) => rows.sealed).sort((a, b) => a.day - b.day);
  const heads = parts.filter((rows) => !rows.sealed);
  const base = await keptOf(memo, "revenue of segments", [numbers, ...sealed], () => bookOf(sealed, null));
  const book = await keptOf(memo, "revenue", [base, ...heads], () => bookOf(heads, base));
  return book.table(rates);
}
