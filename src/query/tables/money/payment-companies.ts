/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the payments */
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";
import { ChangeLog } from "../../../identity/links.js";
import type { Memberships } from "../../../identity/memberships.js";
import { companyOfEvent, type CompanySnapshot } from "../../../identity/company-view.js";
import type { Payments } from "./payments.js";

/** The company of each payment: its own, else that of its identity at its time. 4 bytes each; follows payments, links and memberships. */
export class PaymentCompanies {
  #codes = new Uint32Array(64);
  #count = 0;
  #generation = -1;
  #changeCount = -1;
  /** Positions of payments whose company changed. */
  readonly moved = new ChangeLog();

  constructor(
    readonly payments: Payments,
    readonly memberships: Memberships,
  ) {}

  /** 0 for none. */
  of(place: number): number {
    return this.#codes[place]!;
  }

  get byteLength(): number {
    return this.#codes.byteLength;
  }

  /**
   * Brings the table up to a snapshot that payments and memberships are at; false when something is missing. Cost: the new payments, and those of
   * identities whose company changed.
   */
  catchUp(moment: CompanySnapshot, missing: PendingLoads): boolean {
    const { payments, memberships } = this;
    const { changeCount } = memberships;
    const changed = this.#generation === payments.generation ? memberships.changedBetween(this.#changeCount, changeCount) : null;
    const places = changed === null ? null : this.#placesOf(changed, moment);
    if (changed === null) this.#count = 0;
    if (payments.count > this.#codes.length) {
      const codes = new Uint32Array(Math.ceil(payments.count * 1.25));
      codes.set(this.#codes);
      this.#codes = codes;
    }
    if (places === null) this.moved.addAll();
    for (const place of places ?? []) if (!this.#set(place, moment, missing)) return false;
    for (let place = this.#count; place < payments.count; place += 1) if (!this.#set(place, moment, missing)) return false;
    this.#count = payments.count;
    this.#generation = payments.generation;
    this.#changeCount = changeCount;
    return true;
  }

  #placesOf(identities: ReadonlySet<number>, moment: CompanySnapshot): number[] {
    const places: number[] = [];
    for (const identity of identities)
      for (const actor of moment.identities.actorsOf(identity)) for (const place of this.payments.placesOf(actor)) if (place < this.#count) places.push(place);
    return places;
  }

  #set(place: number, moment: CompanySnapshot, missing: PendingLoads): boolean {
    const { payments } = this;
    const event = { ms: payments.times[place]!, sequence: payments.sequences[place]! };
    const company = companyOfEvent(payments.companies[place]!, payments.actors[place]!, event, moment, missing);
    if (company === null) return false;
    if (company !== this.#codes[place] && place < this.#count) this.moved.add(place);
    this.#codes[place] = company;
    return true;
  }
}
