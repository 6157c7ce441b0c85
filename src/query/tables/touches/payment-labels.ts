/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the payments */
import { dayOf } from "../../../core/base/time.js";
import type { EventTime, EventPlace } from "../../../storage/derived/event-ids.js";
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";
import type { CompanySnapshot } from "../../../identity/company-view.js";
import type { IdentityView } from "../../../identity/identity-view.js";
import type { Plan } from "../../plan/plan.js";
import { TouchesOfIdentities, type CompanyTouches } from "./company-touches.js";
import type { PaymentCompanies } from "../money/payment-companies.js";
import type { Payments } from "../money/payments.js";
import { NearestTouch, UNKNOWN } from "./nearest-touch.js";
import type { Touches } from "./touches.js";

/** Tables by company, at level account. */
interface Accounts {
  readonly touches: CompanyTouches;
  readonly payments: PaymentCompanies;
}

/** Progress of the underlying tables at the last check. */
interface LabelProgress {
  readonly identities: IdentityView;
  readonly generations: string;
  readonly gained: number;
  readonly companies: number;
  readonly moved: number;
}

/**
 * Numbers of the labels that payments are attributed to by their own touches, under one model and level: each is found on first request, and cached
 * until a touch, a link or a membership affects it. 4 bytes a payment.
 */
export class PaymentLabels {
  #labels = new Int32Array(64).fill(UNKNOWN);
  #seen: LabelProgress | null = null;
  readonly #nearest: NearestTouch;

  constructor(
    readonly payments: Payments,
    readonly touches: Touches,
    /** Null at level identity. */
    readonly accounts: Accounts | null,
    { model, touch }: Plan<"revenueByAttribution">,
  ) {
    this.#nearest = new NearestTouch(touches, model === "first_touch", touch.lookbackMs ?? Infinity);
  }

  get byteLength(): number {
    return this.#labels.byteLength;
  }

  /**
   * Finds the labels of some payments, at a snapshot that payments, touches and accounts are at; false when something is missing. Cost: about 0.3 µs
   * for each that was not requested before, or was affected since.
   */
  settle(places: readonly number[], moment: CompanySnapshot, missing: PendingLoads): boolean {
    this.#forgetWhatChanged(moment);
    const unread: EventPlace[] = [];
    const touchesOf = new TouchesOfIdentities(this.touches, moment.identities);
    for (const place of places) {
      if (this.#labels[place] !== UNKNOWN) continue;
      moment.looked(1);
      this.#labels[place] = this.#find(place, moment, touchesOf, unread);
    }
    if (unread.length === 0) return true;
    missing.add(() => this.touches.ids.read(unread, moment.rows));
    return false;
  }

  /** The label of a settled payment; 0 for none. */
  labelOf(place: number): number {
    return this.#labels[place]!;
  }

  #forgetWhatChanged({ identities }: CompanySnapshot): void {
    const { payments, touches, accounts } = this;
    if (payments.count > this.#labels.length) this.#grow(payments.count);
    const now: LabelProgress = {
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

  /** Positions of the payments whose labels may have changed; null for all. */
  #concernedSince(seen: LabelProgress, now: LabelProgress): ReadonlySet<number> | null {
    const { touches, accounts } = this;
    const { identities } = now;
    const moved = identities.movedSince(seen.identities);
    const gained = touches.gained.between(seen.gained, now.gained);
    if (seen.generations !== now.generations || moved === null || gained === null) return null;
    // A set: two people with thousands of ids each may have merged.
    const changed = new Set([...gained].map((actor) => identities.identityOf(actor)));
    for (const actor of moved) changed.add(identities.identityOf(actor)).add(seen.identities.identityOf(actor));
    const concerned = new Set<number>();
    for (const identity of changed)
      for (const actor of identities.actorsOf(identity)) for (const place of this.payments.placesOf(actor)) concerned.add(place);
    if (accounts === null) return concerned;
    const companies = accounts.touches.changed.between(seen.companies, now.companies);
    const movedPlaces = accounts.payments.moved.between(seen.moved, now.moved);
    if (companies === null || movedPlaces === null) return null;
    for (const place of movedPlaces) concerned.add(place);
    if (companies.size > 0) for (let place = 0; place < this.payments.count; place += 1) if (companies.has(accounts.payments.of(place))) concerned.add(place);
    return concerned;
  }

  /** Returns UNKNOWN after adding events whose ids must be read first. */
  #find(place: number, { identities }: CompanySnapshot, touchesOf: TouchesOfIdentities, unread: EventPlace[]): number {
    const { payments, accounts } = this;
    const actor = payments.actors[place]!;
    if (actor === 0) return 0;
    const moment = { ms: payments.times[place]!, sequence: payments.sequences[place]! };
    const orderAtOnce = (touch: number) => this.#orderAtOnce(touch, moment, unread);
    const company = accounts === null ? 0 : accounts.payments.of(place);
    if (accounts !== null && company !== 0) return this.#nearest.labelOf([accounts.touches.placesOf(company)], moment.ms, orderAtOnce, unread);
    return this.#nearest.labelOf(touchesOf.of(identities.identityOf(actor)), moment.ms, orderAtOnce, unread);
  }

  #orderAtOnce(touch: number, { ms, sequence }: EventTime, unread: EventPlace[]): number | null {
    const event = this.touches.eventAt(touch);
    const order = this.touches.ids.compare(event.sequence, sequence);
    if (order === null) unread.push(event, { sequence, day: dayOf(ms) });
    return order;
  }

  #grow(count: number): void {
    const labels = new Int32Array(Math.ceil(count * 1.25)).fill(UNKNOWN);
    labels.set(this.#labels);
    this.#labels = labels;
  }
}
