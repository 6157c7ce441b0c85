/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { grown, withRoomFor } from "../../../core/base/arrays.js";
import { KeyChains } from "../../../core/base/key-chains.js";
import { dayOf, isoOfDay } from "../../../core/base/time.js";
import { BitSet } from "../../../storage/column/bitmap.js";
import type { Dictionaries } from "../../../storage/column/dictionaries.js";
import type { EventIds, EventTime } from "../../../storage/derived/event-ids.js";
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";
import { PAYMENTS_SUMMARY } from "../../../storage/derived/stored.js";
import { StoreTable, type RowsOfSnapshot } from "../../../storage/derived/store-table.js";
import type { RevenueRule } from "../../plan/plan.js";
import { moneySlugs } from "../../plan/report-rules.js";
import type { MemoryBudget, TableUse } from "../../../storage/segment/memory-budget.js";
import { whilePinned, type Rows } from "../../../storage/segment/rows.js";
import type { RowsSummary } from "../../../storage/segment/summaries.js";
import { checkedRate, conversionAt, type Money } from "../../answer/money.js";
import { OrderNumbers } from "./order-numbers.js";
import { NO_FACTS, hasAmounts, loadMoney, revenueFactsOf, type RevenueFacts } from "./revenue-facts.js";
import type { Rates } from "../../plan/input.js";

/** Estimated, without the numbers of orders by external id and by text. */
const PAYMENT_BYTES = 128;

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
  /** Number of project and order key; 0 without an order key. */
  #orders = new Uint32Array(64);
  /** Position + 1 of the previous event of the same key; 0 for none. */
  #formerOfKey = new Uint32Array(64);
  /** By key (the key of a payment is its order): position + 1 of the latest event, and of the one that counts. */
  #latestOfKey = new Uint32Array(64);
  #countedOfKey = new Uint32Array(64);
  #numbers: OrderNumbers;
  /** Each follows when it is first asked: few queries look for one of them. */
  #ofActors = new KeyChains();
  #ofSequences = new KeyChains();
  #refundSequences = new BitSet(1_024);
  /** By sequence, in order of arrival. */
  #refundNumbers = new Map<number, number>();
  #refundPlaces: number[] = [];
  /** By number of a refund: position of its order, for the present payments; null until requested. */
  #paid: Uint32Array | null = null;
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
    this.#numbers = new OrderNumbers(dictionaries.named("externalId"));
  }

  get count(): number {
    return this.#count;
  }

  catchUp(moment: RowsOfSnapshot, pending: PendingLoads): boolean {
    return this.takeRows(moment, pending) && this.#decide(moment, pending);
  }

  /** Returns a lookup of positions by sequence; it returns -1 for other events and stays valid when the table restarts. */
  placesBySequence(): (sequence: number) => number {
    const places = this.#ofSequences.follow(this.sequences, this.#count);
    return (sequence) => places.placeOf(sequence);
  }

  placesOf(actor: number): number[] {
    return this.#ofActors.follow(this.actors, this.#count).placesOf(actor);
  }

  actorOf(place: number): number {
    return this.actors[place]!;
  }

  companyOf(place: number): number {
    return this.companies[place]!;
  }

  momentOf(place: number): EventTime {
    return { ms: this.times[place]!, sequence: this.sequences[place]! };
  }

  /** By sequence, in this snapshot: position of the order that a refund gives back, else of the refund; -1 for other events. Cost: all refunds. */
  ordersOfRefunds(): (sequence: number) => number {
    this.#paid ??= Uint32Array.from(this.#refundPlaces, (place) => this.orderPlaceOf(place));
    const [refunds, numbers, paid] = [this.#refundSequences, this.#refundNumbers, this.#paid];
    // Most payments are no refunds, which one bit tells. Refunds that come later have numbers behind those of this snapshot.
    return (sequence) => (refunds.has(sequence) ? (paid[numbers.get(sequence)!] ?? -1) : -1);
  }

  /** The event's own position when it is no refund, or its payment is unknown. */
  orderPlaceOf(place: number): number {
    const order = this.#orders[place]!;
    if (order === 0 || this.refunds[place] === 0) return place;
    const counted = this.#countedOfKey[order]!;
    return counted === 0 ? place : counted - 1;
  }

  protected known(segment: Rows): RevenueFacts | null {
    return hasAmounts(segment, this.dictionaries) ? null : NO_FACTS;
  }

  protected async load(segment: Rows): Promise<RevenueFacts> {
    if (!hasAmounts(segment, this.dictionaries)) return NO_FACTS;
    const stored = await segment.summary(PAYMENTS_SUMMARY, moneySlugs(this.rule));
    if (stored !== null) return this.#factsOf(stored);
    return await whilePinned([segment], async () => {
      await loadMoney(segment, this.dictionaries);
      return this.#factsOf(segment);
    });
  }

  protected ofHead(rows: Rows): RevenueFacts {
    return hasAmounts(rows, this.dictionaries) ? this.#factsOf(rows) : NO_FACTS;
  }

  protected take(_rows: Rows, facts: RevenueFacts, isTaken: (sequence: number) => boolean): void {
    this.#latestOfKey = withRoomFor(this.#latestOfKey, this.#numbers.count + 1);
    this.#countedOfKey = withRoomFor(this.#countedOfKey, this.#numbers.count + 1);
    for (let at = 0; at < facts.sequences.length; at += 1) if (!isTaken(facts.sequences[at]!)) this.#add(facts, at);
  }

  protected reset(): void {
    this.#count = 0;
    this.amounts = [];
    this.currencies = [];
    this.quoteOf = [];
    this.quotes = new Quotes(this.rule.currency);
    // Lookups of before read the former ones.
    this.sequences = new Uint32Array(this.times.length);
    this.#ofSequences = new KeyChains();
    this.#ofActors = new KeyChains();
    this.#latestOfKey = new Uint32Array(64);
    this.#countedOfKey = new Uint32Array(64);
    this.#numbers = new OrderNumbers(this.dictionaries.named("externalId"));
    this.#refundSequences = new BitSet(1_024);
    this.#refundNumbers = new Map();
    this.#refundPlaces = [];
    this.#undecided.clear();
    this.#paid = null;
  }

  protected measure(): number {
    return this.#count * PAYMENT_BYTES + this.#numbers.byteLength;
  }

  #factsOf(rows: RowsSummary): RevenueFacts {
    return revenueFactsOf(rows, this.rule, this.dictionaries, this.#numbers);
  }

  #add(facts: RevenueFacts, at: number): void {
    if (this.#count === this.times.length) this.#grow();
    const place = this.#count;
    this.#paid = null;
    this.#count = place + 1;
    this.times[place] = facts.times[at]!;
    this.sequences[place] = facts.sequences[at]!;
    this.actors[place] = facts.actors[at]!;
    this.projects[place] = facts.projects[at]!;
    this.companies[place] = facts.companies[at]!;
    this.refunds[place] = facts.refunds[at]!;
    if (facts.refunds[at] === 1) {
      this.#refundSequences.add(facts.sequences[at]!);
      this.#refundNumbers.set(facts.sequences[at]!, this.#refundPlaces.push(place) - 1);
    }
    this.amounts.push(facts.amounts[at]!);
    this.currencies.push(facts.currencies[at]!);
    this.quoteOf.push(this.quotes.numberOf(facts.currencies[at]!, facts.times[at]!));
    this.counted[place] = 1;
    this.#orders[place] = facts.orders[at]!;
    const key = facts.keys[at]!;
    if (key === 0) return;
    this.#formerOfKey[place] = this.#latestOfKey[key]!;
    this.#latestOfKey[key] = place + 1;
    if (this.#formerOfKey[place] === 0) this.#countedOfKey[key] = place + 1;
    else this.#undecided.add(key);
  }

  #decide({ rows }: RowsOfSnapshot, pending: PendingLoads): boolean {
    const unknown: number[] = [];
    for (const key of this.#undecided) {
      const tied = this.#countFirst(key, this.#placesOfKey(key));
      if (tied.length > 0) unknown.push(...tied);
      else this.#undecided.delete(key);
    }
    if (unknown.length > 0) {
      const events = unknown.map((place) => ({ sequence: this.sequences[place]!, day: dayOf(this.times[place]!) }));
      const { ids } = this;
      pending.add(() => ids.read(events, rows));
    }
    return unknown.length === 0;
  }

  #placesOfKey(key: number): number[] {
    const places: number[] = [];
    for (let next = this.#latestOfKey[key]!; next !== 0; next = this.#formerOfKey[next - 1]!) places.push(next - 1);
    return places;
  }

  /** Counts the first payment of a key; returns the positions whose ids must be read to tell which it is. */
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
    this.times = grown(this.times, capacity);
    this.sequences = grown(this.sequences, capacity);
    this.actors = grown(this.actors, capacity);
    this.projects = grown(this.projects, capacity);
    this.companies = grown(this.companies, capacity);
    this.counted = grown(this.counted, capacity);
    this.refunds = grown(this.refunds, capacity);
    this.#orders = grown(this.#orders, capacity);
    this.#formerOfKey = grown(this.#formerOfKey, capacity);
  }
}

interface Quote {
  readonly currency: string;
  readonly day: string;
}

/** Quote numbers of payments in the reporting currency, and of payments without a valid currency. */
const REPORTING = -1;
const NO_CURRENCY = -2;

class Quotes {
  readonly all: Quote[] = [];
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

/** The revenue events of a store, duplicates marked, in the reporting currency. Read it in the tick in which it was brought up to date. */
export class RevenueTable {
  #rates: readonly (number | undefined)[] = [];
  /** By quote. */
  #conversions: readonly (((amount: Money) => Money) | undefined)[] = [];
  #amounts: (Money | null)[] = [];
  #generation = -1;

  constructor(readonly payments: Payments) {}

  /**
   * Amounts in the reporting currency by position of the payment; null when no rate is known. Requests each rate once; converts all amounts again
   * when one of them changed, otherwise only those of new payments. Valid within the tick. @throws invalid_parameter (a rate not above 0)
   */
  converted(rates: Rates): readonly (Money | null)[] {
    const { amounts, count, generation, quotes } = this.payments;
    if (!quotes.hasOthers) return amounts;
    const { reporting } = quotes;
    const given = quotes.all.map(({ currency, day }) => checkedRate(rates(currency, reporting, day), currency, reporting, day));
    const isAnew = this.#generation !== generation || this.#rates.some((rate, at) => rate !== given[at]);
    if (isAnew) this.#amounts = [];
    if (isAnew || given.length > this.#rates.length) this.#conversions = given.map((rate) => (rate === undefined ? undefined : conversionAt(rate)));
    this.#generation = generation;
    this.#rates = given;
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
