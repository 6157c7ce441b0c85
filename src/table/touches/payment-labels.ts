/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the payments */
import { dayOf } from "../../base/time.js";
import type { EventMoment, EventPlace } from "../../derived/event-ids.js";
import type { Missing } from "../../derived/missing.js";
import type { CompanyMoment } from "../../identity/company-of-event.js";
import type { IdentityView } from "../../identity/identity-view.js";
import type { Plan } from "../../plan/plan.js";
import type { CompanyTouches } from "./company-touches.js";
import type { PaymentCompanies } from "../money/payment-companies.js";
import type { Payments } from "../money/payments.js";
import { areOfOneLabel, firstTouchAt, touchesAtOnce } from "./touch-runs.js";
import type { Touches } from "./touches.js";

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
  settle(places: readonly number[], moment: CompanyMoment, missing: Missing): boolean {
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

  #forgetWhatChanged({ identities }: CompanyMoment): void {
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
  #find(place: number, { identities }: CompanyMoment, unread: EventPlace[]): number {
    const { payments, accounts, touches } = this;
    const actor = payments.actors[place]!;
    if (actor === 0) return 0;
    const moment = { ms: payments.times[place]!, sequence: payments.sequences[place]! };
    const company = accounts === null ? 0 : accounts.payments.of(place);
    if (accounts !== null && company !== 0) return this.#nearest([accounts.touches.placesOf(company)], moment, unread);
    const actors = identities.actorsOf(identities.identityOf(actor));
    return this.#nearest(actors.map((owner) => touches.placesOf(owner)), moment, unread);
  }

  /** The label of the touch that is nearest to the payment, or first; 0 for none. */
  #nearest(lists: readonly ArrayLike<number>[], moment: EventMoment, unread: EventPlace[]): number {
    const { touches } = this;
    const runs: number[][] = [];
    for (const list of lists) {
      const run = this.#isFirst ? this.#firstRun(list, moment, unread) : this.#lastRun(list, moment, unread);
      if (run === null) return UNKNOWN;
      if (run.length > 0) runs.push(run);
    }
    const msOf = ([place]: readonly number[]) => touches.msOf(place!);
    const nearest = runs.reduce((ms, run) => (this.#isFirst ? Math.min(ms, msOf(run)) : Math.max(ms, msOf(run))), this.#isFirst ? Infinity : -Infinity);
    const [run = [], ...others] = runs.filter((some) => msOf(some) === nearest);
    let best = this.#isFirst ? run[0] : run.at(-1);
    if (best === undefined) return 0;
    const all = [...run, ...others.flat()];
    // Which of several of one label it is does not matter. Those of one owner are in order.
    if (others.length === 0 || areOfOneLabel(touches, all)) return touches.labelOf(best);
    for (const place of all) {
      const order = touches.order(place, best);
      if (order === null) {
        unread.push(...all.map((other) => touches.eventAt(other)));
        return UNKNOWN;
      }
      if (this.#isFirst ? order < 0 : order > 0) best = place;
    }
    return touches.labelOf(best);
  }

  /** The first touches of a list within the lookback, of one millisecond, that are not after the payment; null where ids are to be read first. */
  #firstRun(list: ArrayLike<number>, moment: EventMoment, unread: EventPlace[]): number[] | null {
    const { touches } = this;
    return this.#notAfter(touchesAtOnce(touches, list, firstTouchAt(touches, list, moment.ms - this.#lookbackMs)), moment, unread);
  }

  /** The latest of them. */
  #lastRun(list: ArrayLike<number>, moment: EventMoment, unread: EventPlace[]): number[] | null {
    const { touches } = this;
    const atOnce = firstTouchAt(touches, list, moment.ms);
    const last = this.#notAfter(touchesAtOnce(touches, list, atOnce), moment, unread);
    if (last === null || last.length > 0 || atOnce === 0) return last;
    const ms = touches.msOf(list[atOnce - 1]!);
    return ms < moment.ms - this.#lookbackMs ? [] : touchesAtOnce(touches, list, firstTouchAt(touches, list, ms));
  }

  /** Those of a run that are not after an event; null where ids are to be read first. */
  #notAfter(run: readonly number[], moment: EventMoment, unread: EventPlace[]): number[] | null {
    const orders = run.map((place) => this.#compareTo(place, moment, unread));
    return orders.includes(null) ? null : run.filter((_, at) => orders[at]! <= 0);
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
