/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the payments */
import { dayOf } from "../base/time.js";
import type { EventPlace } from "../derived/event-ids.js";
import type { Missing } from "../derived/missing.js";
import type { IdentityView } from "../identity/identity-view.js";
import type { Plan } from "../plan/plan.js";
import type { CompanyTouches } from "./company-touches.js";
import type { PaymentCompanies } from "./payment-companies.js";
import type { Payments } from "./payments.js";
import type { TableMoment } from "./tables.js";
import type { EventMoment, Touches } from "./touches.js";

const UNKNOWN = -1;

/** What tells of companies, at level account. */
interface Accounts {
  readonly touches: CompanyTouches;
  readonly payments: PaymentCompanies;
}

/** How far the tables that labels depend on had come when labels were looked through last. */
interface Seen {
  readonly identities: IdentityView;
  readonly generations: string;
  readonly gained: number;
  readonly companies: number;
  readonly moved: number;
}

/**
 * Numbers of the labels that payments go to by their own touches, by one model and level: each is found when it is asked for, and kept
 * until a touch, a link or a membership concerns it. 4 bytes a payment.
 */
export class PaymentLabels {
  #labels = new Int32Array(64).fill(UNKNOWN);
  #seen: Seen | null = null;
  readonly #isFirst: boolean;
  readonly #lookbackMs: number;

  constructor(
    readonly payments: Payments,
    readonly touches: Touches,
    /** Null at level identity. */
    readonly accounts: Accounts | null,
    { model, touch }: Plan<"revenueByAttribution">,
  ) {
    this.#isFirst = model === "first_touch";
    this.#lookbackMs = touch.lookbackMs ?? Infinity;
  }

  get byteLength(): number {
    return this.#labels.byteLength;
  }

  /**
   * Finds the labels of some payments, at a moment at which payments, touches and accounts are; false where something is missing.
   * Cost: some 0.3 µs for each that was not asked for before, or that something concerned since.
   */
  settle(places: readonly number[], moment: TableMoment, missing: Missing): boolean {
    this.#forgetWhatChanged(moment);
    const unread: EventPlace[] = [];
    for (const place of places) {
      if (this.#labels[place] !== UNKNOWN) continue;
      moment.looked(1);
      this.#labels[place] = this.#find(place, moment, unread);
    }
    if (unread.length === 0) return true;
    missing.add(() => this.touches.ids.read(unread, moment.rows));
    return false;
  }

  /** Of a settled payment; 0 for none. */
  labelOf(place: number): number {
    return this.#labels[place]!;
  }

  #forgetWhatChanged({ identities }: TableMoment): void {
    const { payments, touches, accounts } = this;
    if (payments.count > this.#labels.length) this.#grow(payments.count);
    const now: Seen = {
      identities,
      generations: `${payments.generation} ${touches.generation}`,
      gained: touches.gained.count,
      companies: accounts === null ? 0 : accounts.touches.changed.count,
      moved: accounts === null ? 0 : accounts.payments.moved.count,
    };
    const concerned = this.#seen === null ? null : this.#concernedSince(this.#seen, now);
    if (concerned === null) this.#labels.fill(UNKNOWN);
    else for (const place of concerned) this.#labels[place] = UNKNOWN;
    this.#seen = now;
  }

  /** Places of the payments whose labels may have changed; null for all. */
  #concernedSince(seen: Seen, now: Seen): ReadonlySet<number> | null {
    const { touches, accounts } = this;
    const { identities } = now;
    const moved = identities.movedSince(seen.identities);
    const gained = touches.gained.between(seen.gained, now.gained);
    if (seen.generations !== now.generations || moved === null || gained === null) return null;
    const concerned = new Set<number>();
    const concerns = (identity: number) => {
      for (const actor of identities.actorsOf(identity)) for (const place of this.payments.placesOf(actor)) concerned.add(place);
    };
    for (const actor of gained) concerns(identities.identityOf(actor));
    for (const actor of moved) {
      concerns(identities.identityOf(actor));
      concerns(seen.identities.identityOf(actor));
    }
    if (accounts === null) return concerned;
    const companies = accounts.touches.changed.between(seen.companies, now.companies);
    const movedPlaces = accounts.payments.moved.between(seen.moved, now.moved);
    if (companies === null || movedPlaces === null) return null;
    for (const place of movedPlaces) concerned.add(place);
    if (companies.size > 0) for (let place = 0; place < this.payments.count; place += 1) if (companies.has(accounts.payments.of(place))) concerned.add(place);
    return concerned;
  }

  /** Adds events whose ids are to be read first; the answer is UNKNOWN then. */
  #find(place: number, { identities }: TableMoment, unread: EventPlace[]): number {
    const { payments, accounts, touches } = this;
    const actor = payments.actors[place]!;
    if (actor === 0) return 0;
    const moment = { ms: payments.times[place]!, sequence: payments.sequences[place]! };
    const company = accounts === null ? 0 : accounts.payments.of(place);
    if (accounts !== null && company !== 0) return this.#nearest([accounts.touches.placesOf(company)], moment, unread);
    const actors = identities.actorsOf(identities.identityOf(actor));
    return this.#nearest(actors.map((owner) => touches.placesOf(owner)), moment, unread);
  }

  #nearest(lists: readonly ArrayLike<number>[], moment: EventMoment, unread: EventPlace[]): number {
    const { touches } = this;
    const sinceMs = moment.ms - this.#lookbackMs;
    let best = -1;
    for (const list of lists) {
      const at = this.#isFirst ? this.#firstSince(list, sinceMs) : this.#last(list, moment, unread);
      if (at === UNKNOWN) return UNKNOWN;
      const place = list[at];
      if (place === undefined || touches.msOf(place) < sinceMs) continue;
      const toPayment = this.#isFirst ? this.#compareTo(place, moment, unread) : 0;
      if (toPayment === null) return UNKNOWN;
      if (toPayment > 0) continue;
      const order = best === -1 ? 0 : touches.order(place, best);
      if (order === null) {
        unread.push(touches.eventAt(place), touches.eventAt(best));
        return UNKNOWN;
      }
      if (best === -1 || (this.#isFirst ? order < 0 : order > 0)) best = place;
    }
    return best === -1 ? 0 : touches.labelOf(best);
  }

  /** Where the first touch at or after a time is in a list; its length for none. */
  #firstSince(list: ArrayLike<number>, ms: number): number {
    let [low, high] = [0, list.length];
    if (ms === -Infinity) return 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.touches.msOf(list[middle]!) < ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Where the latest touch at or before an event is in a list; its length for none, UNKNOWN where ids are to be read first. */
  #last(list: ArrayLike<number>, moment: EventMoment, unread: EventPlace[]): number {
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = this.#compareTo(list[middle]!, moment, unread);
      if (order === null) return UNKNOWN;
      if (order <= 0) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? list.length : low - 1;
  }

  #compareTo(place: number, moment: EventMoment, unread: EventPlace[]): number | null {
    const order = this.touches.compareTo(place, moment);
    if (order === null) unread.push(this.touches.eventAt(place), { sequence: moment.sequence, day: dayOf(moment.ms) });
    return order;
  }

  #grow(count: number): void {
    const labels = new Int32Array(Math.ceil(count * 1.25)).fill(UNKNOWN);
    labels.set(this.#labels);
    this.#labels = labels;
  }
}
