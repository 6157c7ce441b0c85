/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the count, and those below the start are a base's */
import type { Rows } from "../segment/rows.js";
import { isNegative } from "./money.js";
import type { Money } from "./money.js";
import { behind, joinedFacts, type OrderNumbers, type RevenueFacts } from "./revenue-facts.js";
import type { CompareRows } from "./row-order.js";

/**
 * The revenue events of some segments and heads, duplicates included, a place each: 45 bytes. Whole columns, with what a base
 * has, are put together when they are asked for.
 */
export class Payments {
  readonly count: number;
  readonly parts: readonly Rows[];
  /** 1 for what counts, 0 for a duplicate of an earlier one. */
  readonly counted: Uint8Array;
  /** Those that a base does not have. */
  readonly #own: RevenueFacts;
  /** Of these, the segment or head of each as its place in `parts`. */
  readonly #ownParts: Uint32Array;
  /** Place of the first event of each part, a base's apart. */
  readonly #starts = new Map<Rows, number>();
  /** Columns that were asked for. */
  readonly #asked: { -readonly [Name in keyof RevenueFacts]?: RevenueFacts[Name] } = {};

  /** @param base those of earlier parts, which these follow */
  constructor(
    readonly base: Payments | null,
    parts: readonly Rows[],
    facts: readonly RevenueFacts[],
    readonly numbers: OrderNumbers,
  ) {
    this.parts = base === null ? parts : [...base.parts, ...parts];
    this.#own = joinedFacts(facts);
    this.#ownParts = new Uint32Array(this.#own.rows.length);
    this.count = this.start + this.#own.rows.length;
    this.counted = new Uint8Array(this.count);
    if (base !== null) this.counted.set(base.counted);
    let end = 0;
    facts.forEach(({ rows }, at) => {
      this.#starts.set(parts[at]!, end);
      this.#ownParts.fill(this.parts.length - parts.length + at, end, end + rows.length);
      end += rows.length;
    });
  }

  /** The first place that a base does not have. */
  get start(): number {
    return this.base === null ? 0 : this.base.count;
  }

  /** Epoch ms. */
  get times(): Float64Array {
    return (this.#asked.times ??= this.base === null ? this.#own.times : behind(this.base.times, this.#own.times, new Float64Array(this.count)));
  }

  /** 0 for nobody. */
  get actors(): Uint32Array {
    return (this.#asked.actors ??= this.base === null ? this.#own.actors : behind(this.base.actors, this.#own.actors, new Uint32Array(this.count)));
  }

  get projects(): Uint32Array {
    return (this.#asked.projects ??= this.base === null ? this.#own.projects : behind(this.base.projects, this.#own.projects, new Uint32Array(this.count)));
  }

  /** Named by the event itself; 0 for none. */
  get companies(): Uint32Array {
    return (this.#asked.companies ??= this.base === null ? this.#own.companies : behind(this.base.companies, this.#own.companies, new Uint32Array(this.count)));
  }

  get amounts(): readonly Money[] {
    return (this.#asked.amounts ??= this.base === null ? this.#own.amounts : this.base.amounts.concat(this.#own.amounts));
  }

  get currencies(): readonly string[] {
    return (this.#asked.currencies ??= this.base === null ? this.#own.currencies : this.base.currencies.concat(this.#own.currencies));
  }

  /** Amounts, currencies and orders from `start` on. */
  get own(): Pick<RevenueFacts, "amounts" | "currencies" | "orders"> {
    return this.#own;
  }

  partAt(place: number): Rows {
    return place < this.start ? this.base!.partAt(place) : this.parts[this.#ownParts[place - this.start]!]!;
  }

  rowAt(place: number): number {
    return place < this.start ? this.base!.rowAt(place) : this.#own.rows[place - this.start]!;
  }

  timeAt(place: number): number {
    return place < this.start ? this.base!.timeAt(place) : this.#own.times[place - this.start]!;
  }

  amountAt(place: number): Money {
    return place < this.start ? this.base!.amountAt(place) : this.#own.amounts[place - this.start]!;
  }

  orderAt(place: number): number {
    return place < this.start ? this.base!.orderAt(place) : this.#own.orders[place - this.start]!;
  }

  /** The place of an event; -1 where it is no revenue. Cost: a binary search among those of its segment. */
  placeOf(rows: Rows, row: number): number {
    const start = this.#starts.get(rows);
    if (start === undefined) return this.base === null ? -1 : this.base.placeOf(rows, row);
    const part = this.#ownParts[start];
    let low = start;
    let high = this.#ownParts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ownParts[middle] === part && this.#own.rows[middle]! < row) low = middle + 1;
      else high = middle;
    }
    const place = this.start + low;
    return place < this.count && this.partAt(place) === rows && this.rowAt(place) === row ? place : -1;
  }

  /** Whether one happened before another. */
  isBefore(place: number, other: number, compare: CompareRows): boolean {
    const later = this.timeAt(place) - this.timeAt(other);
    return later < 0 || (later === 0 && compare(this.partAt(place), this.rowAt(place), this.partAt(other), this.rowAt(other)) < 0);
  }

  /** The payment that a refund gives back, where it is known; every other place is its own. */
  orderPlaceOf(place: number, orders: OrderPlaces): number {
    const order = this.orderAt(place);
    if (order === -1 || !isNegative(this.amountAt(place))) return place;
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
    const { start, count, own: { orders } } = payments;
    this.#places = base === null ? new Int32Array(payments.numbers.count).fill(-1) : base.#places;
    for (let place = start; place < count; place += 1) {
      const order = orders[place - start]!;
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
    const { start, count, counted, own: { orders } } = this.payments;
    for (const order of this.#moved.keys()) {
      const before = this.#places[order] ?? -1;
      if (before !== -1) counted[before] = 0;
    }
    for (let place = start; place < count; place += 1) {
      const order = orders[place - start]!;
      if (order === -1 || this.of(order) === place) counted[place] = 1;
    }
  }
}
