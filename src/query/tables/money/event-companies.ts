/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the events */
import { grown } from "../../../core/base/arrays.js";
import { companyOfEvent, type CompanySnapshot } from "../../../identity/company-view.js";
import { ChangeLog } from "../../../identity/links.js";
import type { Memberships } from "../../../identity/memberships.js";
import type { EventTime } from "../../../storage/derived/event-ids.js";
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";

/** Events at positions that hold until the table restarts. */
interface PlacedEvents {
  readonly count: number;
  readonly generation: number;
  placesOf(actor: number): ArrayLike<number>;
  actorOf(place: number): number;
  /** The company that the event names itself; 0 for none. */
  companyOf(place: number): number;
  momentOf(place: number): EventTime;
}

/** The company of each event: its own, else that of its identity at its time. 4 bytes each; follows the events, links and memberships. */
export abstract class EventCompanies {
  #codes = new Uint32Array(0);
  /** Positions below it are at the last snapshot; above, a try that lacked ids may have left codes. */
  #count = 0;
  #generation = -1;
  #changeCount = -1;
  readonly changed = new ChangeLog();

  constructor(
    readonly events: PlacedEvents,
    readonly memberships: Memberships,
  ) {}

  get byteLength(): number {
    return this.#codes.byteLength;
  }

  get count(): number {
    return this.#count;
  }

  /** 0 for none. */
  of(place: number): number {
    return this.#codes[place]!;
  }

  /** False when something is missing. Cost: the new events, and those of identities whose company changed. */
  catchUp(moment: CompanySnapshot, pending: PendingLoads): boolean {
    const { events, memberships } = this;
    const changed = events.generation === this.#generation ? memberships.changedBetween(this.#changeCount, memberships.changeCount) : null;
    // The events restarted, or what changed since is not known.
    if (changed === null) this.restart();
    return this.follow(changed ?? [], moment, pending);
  }

  protected follow(changed: Iterable<number>, moment: CompanySnapshot, pending: PendingLoads): boolean {
    const { events, memberships } = this;
    for (const identity of changed)
      for (const actor of moment.identities.actorsOf(identity))
        for (const place of Array.from(events.placesOf(actor))) if (place < this.#count && !this.#move(place, moment, pending)) return false;
    if (events.count > this.#codes.length) this.#codes = grown(this.#codes, Math.ceil(events.count * 1.25));
    for (let place = this.#count; place < events.count; place += 1) if (!this.#move(place, moment, pending)) return false;
    this.#count = events.count;
    this.#changeCount = memberships.changeCount;
    return true;
  }

  protected restart(): void {
    this.replace(new Uint32Array(0), 0, this.memberships.changeCount);
  }

  protected replace(codes: Uint32Array<ArrayBuffer>, count: number, changeCount: number): void {
    this.#codes = codes;
    this.#count = count;
    this.#generation = this.events.generation;
    this.#changeCount = changeCount;
    this.changed.addAll();
  }

  protected abstract moved(place: number, before: number, company: number): void;

  /** Null when ids must be read first. */
  protected companyOf(place: number, moment: CompanySnapshot, pending: PendingLoads): number | null {
    const { events } = this;
    return companyOfEvent(events.companyOf(place), events.actorOf(place), events.momentOf(place), moment, pending);
  }

  #move(place: number, moment: CompanySnapshot, pending: PendingLoads): boolean {
    const before = this.#codes[place]!;
    const company = this.companyOf(place, moment, pending);
    if (company === null || company === before) return company !== null;
    this.#codes[place] = company;
    this.moved(place, before, company);
    return true;
  }
}

/** The companies of payments. `changed` lists positions. */
export class PaymentCompanies extends EventCompanies {
  protected moved(place: number): void {
    if (place < this.count) this.changed.add(place);
  }
}
