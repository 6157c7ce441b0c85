/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the count */
import type { Rows } from "../segment/rows.js";
import { isNegative } from "./money.js";
import type { Money } from "./money.js";
import type { OrderNumbers, RevenueFacts } from "./revenue-facts.js";
import type { CompareRows } from "./row-order.js";

const FACT_NAMES = ["rows", "times", "actors", "projects", "companies", "orders"] as const;

/** The revenue events of some segments and heads, duplicates included, a place each: 45 bytes. */
export class Payments {
  readonly count: number;
  readonly parts: readonly Rows[];
  /** Segment or head of each, as its place in `parts`, and the row there. */
  readonly partOf: Uint32Array;
  readonly rows: Uint32Array;
  readonly times: Float64Array;
  /** 0 for nobody. */
  readonly actors: Uint32Array;
  readonly projects: Uint32Array;
  readonly companies: Uint32Array;
  readonly orders: Int32Array;
  readonly amounts: readonly Money[];
  readonly currencies: readonly string[];
  /** 1 for what counts, 0 for a duplicate of an earlier one. */
  readonly counted: Uint8Array;
  /** Place of the first event of each part. */
  readonly #starts: Map<Rows, number>;

  /** @param base those of earlier parts, which these follow */
  constructor(
    readonly base: Payments | null,
    parts: readonly Rows[],
    facts: readonly RevenueFacts[],
    readonly numbers: OrderNumbers,
  ) {
    const start = base === null ? 0 : base.count;
    this.parts = base === null ? parts : [...base.parts, ...parts];
    this.count = facts.reduce((sum, { rows }) => sum + rows.length, start);
    this.partOf = new Uint32Array(this.count);
    this.rows = new Uint32Array(this.count);
    this.times = new Float64Array(this.count);
    this.actors = new Uint32Array(this.count);
    this.projects = new Uint32Array(this.count);
    this.companies = new Uint32Array(this.count);
    this.orders = new Int32Array(this.count);
    this.counted = new Uint8Array(this.count);
    this.#starts = new Map(base === null ? [] : base.#starts);
    if (base !== null) for (const name of [...FACT_NAMES, "partOf", "counted"] as const) this[name].set(base[name]);
    this.amounts = (base === null ? [] : base.amounts).concat(...facts.map(({ amounts }) => amounts));
    this.currencies = (base === null ? [] : base.currencies).concat(...facts.map(({ currencies }) => currencies));
    let end = start;
    facts.forEach((fact, at) => {
      const part = this.parts.length - parts.length + at;
      this.#starts.set(parts[at]!, end);
      this.partOf.fill(part, end, end + fact.rows.length);
      for (const name of FACT_NAMES) this[name].set(fact[name], end);
      end += fact.rows.length;
    });
  }

  partAt(place: number): Rows {
    return this.parts[this.partOf[place]!]!;
  }

  /** The place of an event; -1 where it is no revenue. Cost: a binary search among those of its segment. */
  placeOf(rows: Rows, row: number): number {
    const start = this.#starts.get(rows);
    if (start === undefined) return -1;
    const part = this.partOf[start];
    let low = start;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.partOf[middle] === part && this.rows[middle]! < row) low = middle + 1;
      else high = middle;
    }
    return low < this.count && this.partAt(low) === rows && this.rows[low] === row ? low : -1;
  }

  /** Whether one happened before another. */
  isBefore(place: number, other: number, compare: CompareRows): boolean {
    const later = this.times[place]! - this.times[other]!;
    return later < 0 || (later === 0 && compare(this.partAt(place), this.rows[place]!, this.partAt(other), this.rows[other]!) < 0);
  }

  /** The payment that a refund gives back, where it is known; every other place is its own. */
  orderPlaceOf(place: number, orders: OrderPlaces): number {
    const order = this.orders[place]!;
    if (order === -1 || !isNegative(this.amounts[place]!)) return place;
    const paid = this.numbers.paymentOfRefund(order);
    const payment = paid === -1 ? -1 : orders.of(paid);
    return payment === -1 ? place : payment;
  }
}

/** The place at which each order counts: that of its earliest event. */
export class OrderPlaces {
  readonly #places: Int32Array;
  /** Orders that heads brought, or brought earlier events of. */
  readonly #moved = new Map<number, number>();

  /** @param base the places in what these payments follow */
  constructor(
    readonly payments: Payments,
    readonly base: OrderPlaces | null,
    compare: CompareRows,
  ) {
    const { orders, count } = payments;
    this.#places = base === null ? new Int32Array(payments.numbers.count).fill(-1) : base.#places;
    for (let place = base === null ? 0 : base.payments.count; place < count; place += 1) {
      const order = orders[place]!;
      if (order === -1) continue;
      const first = this.of(order);
      if (first !== -1 && !payments.isBefore(place, first, compare)) continue;
      if (base === null) this.#places[order] = place;
      else this.#moved.set(order, place);
    }
  }

  /** -1 for an order that no event has. */
  of(order: number): number {
    return this.#moved.get(order) ?? this.#places[order] ?? -1;
  }

  /** Marks what counts, where the payments that these follow are marked. */
  mark(): void {
    const { orders, counted, count } = this.payments;
    for (const order of this.#moved.keys()) {
      const before = this.#places[order] ?? -1;
      if (before !== -1) counted[before] = 0;
    }
    for (let place = this.base === null ? 0 : this.base.payments.count; place < count; place += 1) {
      const order = orders[place]!;
      if (order === -1 || this.of(order) === place) counted[place] = 1;
    }
  }
}
