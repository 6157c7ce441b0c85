/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the facts */
import { DaybookError, shown } from "../base/errors.js";
import { isoOf } from "../base/time.js";
import { compareIds } from "../base/uuid.js";
import type { RevenueRule } from "../plan/plan.js";
import type { Rows } from "../segment/rows.js";
import { convertMoney, isNegative } from "./money.js";
import type { Money } from "./money.js";
import type { ReportContext } from "./report.js";
import { OrderNumbers, revenueFacts } from "./revenue-facts.js";
import type { RevenueFacts } from "./revenue-facts.js";

export { revenueColumns } from "./revenue-facts.js";

/** A revenue event that counts: no duplicate of an earlier one. */
export interface Payment {
  readonly rows: Rows;
  readonly row: number;
  readonly createdAtMs: number;
  readonly project: number;
  /** Who paid; 0 for nobody. */
  readonly actor: number;
  /** Number of the order key with its sign; -1 without a key. */
  readonly order: number;
  /** Refunds: number of the payments under the same key; -1 for none. */
  readonly paymentOrder: number;
  readonly amount: Money;
  readonly currency: string;
  /** In the reporting currency; null where no rate is known. */
  readonly converted: Money | null;
}

/** The revenue events of a store, each order key once. */
export interface RevenueTable {
  readonly payments: readonly Payment[];
  /** Whether an event is revenue, duplicates included. */
  isRevenue(rows: Rows, row: number): boolean;
  /** What an event counts for in the reporting currency; null for no revenue, a duplicate, or an unknown rate. */
  amountOf(rows: Rows, row: number): Money | null;
  /** Every event that counts and can be converted. */
  each(visit: (rows: Rows, row: number, amount: Money) => void): void;
}

/**
 * The table of some segments and heads, whose revenue columns are loaded; the same one as long as they are the same.
 * Cost: their revenue events, and once per segment its rows. @throws invalid_parameter (a rate that is no number above 0)
 */
export function revenueTable(parts: readonly Rows[], rule: RevenueRule, context: ReportContext): RevenueTable {
  return context.memo.of("revenue", parts, () => {
    const numbers = context.memo.of("order numbers", [context.dictionaries], () => new OrderNumbers());
    const facts = parts.map((rows) => revenueFacts(rows, rule, context.dictionaries, numbers));
    return new Table(parts, facts, numbers, rule, context);
  });
}

class Table implements RevenueTable {
  readonly payments: readonly Payment[];
  readonly #factsOf: ReadonlyMap<Rows, RevenueFacts>;
  /** What each fact counts for, by its place. */
  readonly #amounts = new Map<Rows, (Money | null)[]>();

  constructor(parts: readonly Rows[], facts: readonly RevenueFacts[], numbers: OrderNumbers, { currency }: RevenueRule, context: ReportContext) {
    this.#factsOf = new Map(parts.map((rows, part) => [rows, facts[part]!]));
    const convert = converter(currency, context);
    const firsts = firstOfOrders(parts, facts, numbers.count);
    const payments: Payment[] = [];
    facts.forEach((fact, part) => {
      const rows = parts[part]!;
      const amounts: (Money | null)[] = new Array<Money | null>(fact.rows.length).fill(null);
      for (let place = 0; place < fact.rows.length; place += 1) {
        const order = fact.orders[place]!;
        if (order !== -1 && (firsts.parts[order] !== part || firsts.places[order] !== place)) continue;
        const amount = fact.amounts[place]!;
        const converted = convert(amount, fact.currencies[place]!, fact.times[place]!);
        amounts[place] = converted;
        payments.push({
          rows,
          row: fact.rows[place]!,
          createdAtMs: fact.times[place]!,
          project: fact.projects[place]!,
          actor: fact.actors[place]!,
          order,
          paymentOrder: order === -1 || !isNegative(amount) ? -1 : numbers.paymentOfRefund(order),
          amount,
          currency: fact.currencies[place]!,
          converted,
        });
      }
      this.#amounts.set(rows, amounts);
    });
    this.payments = payments;
  }

  isRevenue(rows: Rows, row: number): boolean {
    return this.#placeOf(rows, row) !== -1;
  }

  amountOf(rows: Rows, row: number): Money | null {
    const place = this.#placeOf(rows, row);
    return place === -1 ? null : this.#amounts.get(rows)![place]!;
  }

  each(visit: (rows: Rows, row: number, amount: Money) => void): void {
    for (const { rows, row, converted } of this.payments) if (converted !== null) visit(rows, row, converted);
  }

  #placeOf(rows: Rows, row: number): number {
    const found = this.#factsOf.get(rows)?.rows ?? new Uint32Array(0);
    let low = 0;
    let high = found.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (found[middle]! < row) low = middle + 1;
      else high = middle;
    }
    return found[low] === row ? low : -1;
  }
}

/** Where the earliest event of every order is. */
function firstOfOrders(parts: readonly Rows[], facts: readonly RevenueFacts[], orderCount: number) {
  const firstParts = new Int32Array(orderCount).fill(-1);
  const places = new Int32Array(orderCount);
  facts.forEach(({ orders, times, rows }, part) => {
    for (let place = 0; place < orders.length; place += 1) {
      const order = orders[place]!;
      if (order === -1) continue;
      const first = firstParts[order]!;
      if (first !== -1) {
        const other = facts[first]!;
        const otherPlace = places[order]!;
        const later = times[place]! - other.times[otherPlace]!;
        if (later > 0) continue;
        if (later === 0 && compareIds(parts[part]!.ids(), rows[place]! * 16, parts[first]!.ids(), other.rows[otherPlace]! * 16) > 0) continue;
      }
      firstParts[order] = part;
      places[order] = place;
    }
  });
  return { parts: firstParts, places };
}

function converter(reporting: string, { rates }: ReportContext): (amount: Money, currency: string, ms: number) => Money | null {
  const known = new Map<string, number | undefined>();
  return (amount, currency, ms) => {
    if (currency === reporting) return amount;
    if (!/^[A-Z]{3}$/.test(currency)) return null;
    const day = isoOf(ms).slice(0, 10);
    const key = `${currency} ${day}`;
    if (!known.has(key)) known.set(key, checkRate(rates(currency, reporting, day), currency, reporting, day));
    const rate = known.get(key);
    return rate === undefined ? null : convertMoney(amount, rate);
  };
}

function checkRate(rate: number | undefined, from: string, to: string, day: string): number | undefined {
  if (rate === undefined || (typeof rate === "number" && Number.isFinite(rate) && rate > 0)) return rate;
  const reason = `expected a number above 0 for ${from} to ${to} on ${day}, got ${shown(rate)}`;
  throw new DaybookError("invalid_parameter", `rates: ${reason}`, { param: "rates", reason });
}
