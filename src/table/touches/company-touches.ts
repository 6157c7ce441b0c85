import type { Missing } from "../../derived/missing.js";
import type { Memberships } from "../../identity/memberships.js";
import { Moves } from "../../identity/moves.js";
import { companyOfEvent, type CompanyMoment } from "../../identity/company-of-event.js";
import { TouchIndex } from "./touch-index.js";
import type { Touches } from "./touches.js";

/**
 * The touches of each company, in order: those that name it, and those of who belonged to it. 8 bytes a touch; follows touches, links and
 * memberships.
 */
export class CompanyTouches {
  readonly #index: TouchIndex;
  #companies = new Uint32Array(0);
  #count = 0;
  #generation = -1;
  #changeCount = -1;
  /** Companies that got or lost touches. */
  readonly changed = new Moves();

  constructor(
    readonly touches: Touches,
    readonly memberships: Memberships,
  ) {
    this.#index = new TouchIndex(touches, (place) => this.#companies[place] as number);
  }

  get byteLength(): number {
    return this.#companies.byteLength + this.#index.byteLength;
  }

  /** Places in the touches. */
  placesOf(company: number): ArrayLike<number> {
    return this.#index.of(company);
  }

  /**
   * Brings it up to a moment at which touches and memberships are; false where something is missing.
   * Cost: touches that came since, and those of who changed company.
   */
  catchUp(moment: CompanyMoment, missing: Missing): boolean {
    const { touches, memberships } = this;
    const { changeCount } = memberships;
    const changed = this.#generation === touches.generation ? memberships.changedBetween(this.#changeCount, changeCount) : null;
    if (changed === null || touches.count > this.#count * 2 + 1024) {
      if (!this.#build(moment, missing)) return false;
    } else {
      for (const identity of changed)
        for (const actor of moment.identities.actorsOf(identity))
          for (const place of Array.from(touches.placesOf(actor))) if (place < this.#count && !this.#move(place, moment, missing)) return false;
      this.#grow(touches.count);
      for (let place = this.#count; place < touches.count; place += 1) if (!this.#move(place, moment, missing)) return false;
    }
    this.#count = touches.count;
    this.#generation = touches.generation;
    this.#changeCount = changeCount;
    return this.#index.settle(moment, missing);
  }

  #build(moment: CompanyMoment, missing: Missing): boolean {
    moment.looked(this.touches.count);
    this.#companies = new Uint32Array(this.touches.count);
    for (let place = 0; place < this.touches.count; place += 1) {
      const company = this.#companyOf(place, moment, missing);
      if (company === null) return false;
      this.#companies[place] = company;
    }
    this.#index.build(this.#companies);
    this.changed.addAll();
    return true;
  }

  #move(place: number, moment: CompanyMoment, missing: Missing): boolean {
    const before = this.#companies[place] as number;
    const company = this.#companyOf(place, moment, missing);
    if (company === null) return false;
    if (company === before) return true;
    if (before !== 0) this.#index.remove(before, place);
    if (company !== 0) this.#index.add(company, place);
    this.#companies[place] = company;
    for (const touched of [before, company]) if (touched !== 0) this.changed.add(touched);
    return true;
  }

  #companyOf(place: number, moment: CompanyMoment, missing: Missing): number | null {
    const { touches } = this;
    return companyOfEvent(touches.companyOf(place), touches.actorOf(place), touches.momentOf(place), moment, missing);
  }

  #grow(count: number): void {
    if (count <= this.#companies.length) return;
    const companies = new Uint32Array(Math.ceil(count * 1.25));
    companies.set(this.#companies);
    this.#companies = companies;
  }
}
