import { dayOf } from "../../../core/base/time.js";
import { BitSet } from "../../../storage/column/bitmap.js";
import type { Dictionaries } from "../../../storage/column/dictionaries.js";
import type { EventIds } from "../../../storage/derived/event-ids.js";
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";
import { MONEY_EXCERPT } from "../../../storage/derived/stored.js";
import { StoreTable, type RowsOfSnapshot, type TableUse } from "../../../storage/derived/store-table.js";
import type { RevenueRule } from "../../plan/plan.js";
import { moneySlugs } from "../../plan/report-rules.js";
import type { MemoryBudget } from "../../../storage/segment/memory-budget.js";
import type { Rows } from "../../../storage/segment/rows.js";
import type { Money } from "../../answer/money.js";
import { Quotes } from "./revenue-table.js";
import { NO_FACTS, OrderNumbers, RevenueSource, type RevenueFacts } from "./revenue-facts.js";

/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are below the count */
/** Estimated size of a payment in the table, its keys included. */
const PAYMENT_BYTES = 216;

/** The revenue events of a store, duplicates included, each at a permanent position. Of events with one key, the earliest counts. */
export class Payments extends StoreTable<RevenueFacts> {
  #count = 0;
  /** Epoch ms. */
  times = new Float64Array(64);
  sequences = new Uint32Array(64);
  /** 0 for none. */
  actors = new Uint32Array(64);
  projects = new Uint32Array(64);
  /** Named by the event itself; 0 for none. */
  companies = new Uint32Array(64);
  /** 1 for an event that counts, 0 for a duplicate of an earlier one. */
  counted = new Uint8Array(64);
  /** 1 for a refund. */
  refunds = new Uint8Array(64);
  amounts: Money[] = [];
  currencies: string[] = [];
  /** Number of the quote that converts it. */
  quoteOf: number[] = [];
  quotes: Quotes;
  /** Number of project and order key; -1 without an order key. */
  #orders = new Int32Array(64);
  /** Position + 1 of the previous event of the same actor, and of the same key; 0 for none. */
  #formerOfActor = new Int32Array(64);
  #formerOfKey = new Int32Array(64);
  #latestOfActor = new Map<number, number>();
  /** By key (the key of a payment is its order): position + 1 of the latest event, and of the one that counts. */
  #latestOfKey: number[] = [];
  #countedOfKey: number[] = [];
  #numbers = new OrderNumbers();
  #sequencesTaken = new BitSet(1_024);
  #placeOfSequence = new Map<number, number>();
  /** Keys that got another event: which of their events counts is not decided yet. */
  readonly #undecided = new Set<number>();

  constructor(
    budget: MemoryBudget,
    use: TableUse,
    readonly dictionaries: Dictionaries,
    readonly rule: RevenueRule,
    readonly ids: EventIds,
  ) {
    super(budget, use);
    this.quotes = new Quotes(rule.currency);
  }

  get count(): number {
    return this.#count;
  }

  /** Brings the table up to a snapshot; false when something is missing. */
  catchUp(moment: RowsOfSnapshot, missing: PendingLoads): boolean {
    return this.takeRows(moment, missing) && this.#decide(moment, missing);
  }

  /** Returns a lookup of positions by sequence; it returns -1 for other events and stays valid when the table restarts. */
  placesBySequence(): (sequence: number) => number {
    const [taken, places] = [this.#sequencesTaken, this.#placeOfSequence];
    return (sequence) => (taken.has(sequence) ? (places.get(sequence) ?? -1) : -1);
  }

  /** Positions of an actor's payments. Cost: their number. */
  placesOf(actor: number): number[] {
    const places: number[] = [];
    for (let next = this.#latestOfActor.get(actor) ?? 0; next !== 0; next = this.#formerOfActor[next - 1]!) places.push(next - 1);
    return places;
  }

  /** Position of the payment that a refund gives back, if known; otherwise the event's own position. */
  orderPlaceOf(place: number): number {
    const order = this.#orders[place]!;
    if (order === -1 || this.refunds[place] === 0) return place;
    const counted = this.#countedOfKey[order] ?? 0;
    return counted === 0 ? place : counted - 1;
  }

  protected known(segment: Rows): RevenueFacts | null {
    return this.#source.hasAmounts(segment) ? null : NO_FACTS;
  }

  protected async load(segment: Rows): Promise<RevenueFacts> {
    if (!this.#source.hasAmounts(segment)) return NO_FACTS;
    const stored = await segment.excerpt(MONEY_EXCERPT, moneySlugs(this.rule));
    if (stored !== null) return this.#source.factsOf(stored);
    segment.pin();
    try {
      await this.#source.load(segment);
      return this.#source.factsOf(segment);
    } finally {
      segment.unpin();
    }
  }

  protected ofHead(rows: Rows): RevenueFacts {
    return this.#source.hasAmounts(rows) ? this.#source.factsOf(rows) : NO_FACTS;
  }

  protected take(_rows: Rows, facts: RevenueFacts, isTaken: (sequence: number) => boolean): void {
    for (let at = 0; at < facts.sequences.length; at += 1) if (!isTaken(facts.sequences[at]!)) this.#add(facts, at);
  }

  protected reset(): void {
    this.#count = 0;
    this.amounts = [];
    this.currencies = [];
    this.quoteOf = [];
    this.quotes = new Quotes(this.rule.currency);
    this.#latestOfActor = new Map();
    this.#latestOfKey = [];
    this.#countedOfKey = [];
    this.#numbers = new OrderNumbers();
    this.#sequencesTaken = new BitSet(1_024);
    this.#placeOfSequence = new Map();
    this.#undecided.clear();
  }

  protected measure(): number {
    return this.#count * PAYMENT_BYTES;
  }

  get #source(): RevenueSource {
    return new RevenueSource(this.rule, this.dictionaries, this.#numbers);
  }

  #add(facts: RevenueFacts, at: number): void {
    if (this.#count === this.times.length) this.#grow();
    const place = this.#count;
    const actor = facts.actors[at]!;
    this.#count = place + 1;
    this.times[place] = facts.times[at]!;
    this.sequences[place] = facts.sequences[at]!;
    this.actors[place] = actor;
    this.#sequencesTaken.add(facts.sequences[at]!);
    this.#placeOfSequence.set(facts.sequences[at]!, place);
    this.projects[place] = facts.projects[at]!;
    this.companies[place] = facts.companies[at]!;
    this.refunds[place] = facts.refunds[at]!;
    this.amounts.push(facts.amounts[at]!);
    this.currencies.push(facts.currencies[at]!);
    this.quoteOf.push(this.quotes.numberOf(facts.currencies[at]!, facts.times[at]!));
    this.#formerOfActor[place] = this.#latestOfActor.get(actor) ?? 0;
    this.#latestOfActor.set(actor, place + 1);
    this.counted[place] = 1;
    this.#orders[place] = facts.orders[at]!;
    const key = facts.keys[at]!;
    if (key === -1) return;
    this.#formerOfKey[place] = this.#latestOfKey[key] ?? 0;
    this.#latestOfKey[key] = place + 1;
    if (this.#formerOfKey[place] === 0) this.#countedOfKey[key] = place + 1;
    else this.#undecided.add(key);
  }

  /** Finds the earliest event of each undecided key; false when ids must be read first. */
  #decide({ rows }: RowsOfSnapshot, missing: PendingLoads): boolean {
    const unknown: number[] = [];
    for (const key of this.#undecided) {
      const tied = this.#countFirst(key, this.#placesOfKey(key));
      if (tied.length > 0) unknown.push(...tied);
      else this.#undecided.delete(key);
    }
    if (unknown.length > 0) {
      const events = unknown.map((place) => ({ sequence: this.sequences[place]!, day: dayOf(this.times[place]!) }));
      const { ids } = this;
      missing.add(() => ids.read(events, rows));
    }
    return unknown.length === 0;
  }

  #placesOfKey(key: number): number[] {
    const places: number[] = [];
    for (let next = this.#latestOfKey[key] ?? 0; next !== 0; next = this.#formerOfKey[next - 1]!) places.push(next - 1);
    return places;
  }

  /** Returns the positions whose ids must be read to decide. */
  #countFirst(key: number, places: readonly number[]): number[] {
    const firstMs = places.reduce((ms, place) => Math.min(ms, this.times[place]!), Infinity);
    const tied = places.filter((place) => this.times[place] === firstMs);
    let first = tied[0]!;
    for (const place of tied) {
      const compared = this.ids.compare(this.sequences[place]!, this.sequences[first]!);
      if (compared === null) return tied;
      if (compared < 0) first = place;
    }
    for (const place of places) this.counted[place] = place === first ? 1 : 0;
    this.#countedOfKey[key] = first + 1;
    return [];
  }

  #grow(): void {
    const capacity = this.times.length * 2;
    const grown = <A extends Float64Array | Uint32Array | Int32Array | Uint8Array>(from: A, to: A): A => {
      to.set(from);
      return to;
    };
    this.times = grown(this.times, new Float64Array(capacity));
    this.sequences = grown(this.sequences, new Uint32Array(capacity));
    this.actors = grown(this.actors, new Uint32Array(capacity));
    this.projects = grown(this.projects, new Uint32Array(capacity));
    this.companies = grown(this.companies, new Uint32Array(capacity));
    this.counted = grown(this.counted, new Uint8Array(capacity));
    this.refunds = grown(this.refunds, new Uint8Array(capacity));
    this.#orders = grown(this.#orders, new Int32Array(capacity));
    this.#formerOfActor = grown(this.#formerOfActor, new Int32Array(capacity));
    this.#formerOfKey = grown(this.#formerOfKey, new Int32Array(capacity));
  }
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

/** The payments that refunds give back, in one snapshot. Events are identified by their sequences. */
export class PaidOrders {
  constructor(
    /** All refunds up to the snapshot, and perhaps later ones. */
    readonly refunds: BitSet,
    readonly numberOf: ReadonlyMap<number, number>,
    /** Positions of the payments by number of the refund; the refund's own position when the payment is unknown. */
    readonly paid: Uint32Array,
  ) {}

  isRefund(sequence: number): boolean {
    return this.refunds.has(sequence) && (this.numberOf.get(sequence) ?? Infinity) < this.paid.length;
  }

  /** Position of the payment that a refund gives back, or the refund's own. */
  placeOf(refund: number): number {
    return this.paid[this.numberOf.get(refund) ?? 0] ?? 0;
  }
}

/** Finds the payments that refunds give back. Follows payments; cost: the new ones, and all refunds when there are any. */
export class RefundOrigins {
  #refunds = new BitSet();
  #numberOf = new Map<number, number>();
  /** Positions of refunds. */
  #places: number[] = [];
  #count = 0;
  #generation = -1;
  #orders: PaidOrders | null = null;

  constructor(readonly payments: Payments) {}

  /** For the snapshot that payments are at. */
  now(): PaidOrders {
    const { payments } = this;
    if (this.#generation !== payments.generation) this.#clear();
    if (this.#orders === null || this.#count < payments.count) {
      for (; this.#count < payments.count; this.#count += 1) this.#take(this.#count);
      this.#orders = new PaidOrders(this.#refunds, this.#numberOf, Uint32Array.from(this.#places, (place) => payments.orderPlaceOf(place)));
    }
    return this.#orders;
  }

  #clear(): void {
    this.#refunds = new BitSet();
    this.#numberOf = new Map();
    this.#places = [];
    this.#count = 0;
    this.#generation = this.payments.generation;
    this.#orders = null;
  }

  #take(place: number): void {
    const sequence = this.payments.sequences[place];
    if (sequence === undefined || this.payments.refunds[place] === 0) return;
    this.#refunds.add(sequence);
    this.#numberOf.set(sequence, this.#places.push(place) - 1);
  }
}
