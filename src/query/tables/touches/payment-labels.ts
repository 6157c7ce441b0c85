/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { grown } from "../../../core/base/arrays.js";
import type { EventPlace, EventTime } from "../../../storage/derived/event-ids.js";
import { areOfOneLabel, firstTouchAt, touchesAtOnce, type Touches } from "./touches.js";
import { dayOf } from "../../../core/base/time.js";
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";
import type { CompanySnapshot } from "../../../identity/company-view.js";
import type { IdentityView } from "../../../identity/identity-view.js";
import type { RevenueByAttributionPlan } from "../../plan/plan.js";
import { TouchesOfIdentities, type CompanyTouches } from "./company-touches.js";
import type { Payments } from "../money/payments.js";
import type { PaymentCompanies } from "../money/event-companies.js";

/** Stands for a label when ids must be read first. */
export const UNKNOWN = -1;

type AttributionModel = RevenueByAttributionPlan["model"];

interface UnreadIds {
  push(...events: EventPlace[]): unknown;
}

/** The order of a touch, by its position, and an event of the same millisecond; null when their ids must be read first, which it reports. */
type OrderAtOnce = (place: number) => number | null;

interface LabelStep {
  readonly label: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Finds the touch that an event is attributed to under one model: the first, or the latest, that is not after it and within the lookback. */
export class NearestTouch {
  readonly isFirst: boolean;
  readonly #lookbackMs: number;

  /** @param unread receives events whose ids must be read */
  constructor(
    readonly touches: Touches,
    model: AttributionModel,
    readonly unread: UnreadIds,
  ) {
    this.isFirst = model === "first_touch";
    // Times are whole milliseconds.
    this.#lookbackMs = Math.floor(touches.maker.rule.lookbackMs ?? Infinity);
  }

  /** The label of the touch for an event; 0 for none, UNKNOWN when ids must be read first. @param lists positions of touches, each list in order */
  labelOf(lists: readonly ArrayLike<number>[], ms: number, orderAtOnce: OrderAtOnce): number {
    const runs: number[][] = [];
    for (const list of lists) {
      const run = this.isFirst ? this.#firstRun(list, ms, orderAtOnce) : this.#lastRun(list, ms, orderAtOnce);
      if (run === null) return UNKNOWN;
      if (run.length > 0) runs.push(run);
    }
    return this.#labelOfRuns(runs);
  }

  /** The order of a touch and an event of its millisecond, by their ids; null when they must be read first. */
  orderAtOnce(touch: number, { ms, sequence }: EventTime): number | null {
    const event = this.touches.eventAt(touch);
    const order = this.touches.ids.compare(event.sequence, sequence);
    if (order === null) this.unread.push(event, { sequence, day: dayOf(ms) });
    return order;
  }

  /** The label at a time, and how long it holds; null when a touch of this millisecond decides, for then it depends on the event. */
  stepAt(lists: readonly ArrayLike<number>[], ms: number): LabelStep | null {
    return this.isFirst ? this.#firstStep(lists, ms) : this.#lastStep(lists, ms);
  }

  #firstStep(lists: readonly ArrayLike<number>[], ms: number): LabelStep | null {
    let [tooOldMs, firstMs] = [-Infinity, Infinity];
    for (const list of lists) {
      const at = firstTouchAt(this.touches, list, ms - this.#lookbackMs);
      if (at > 0) tooOldMs = Math.max(tooOldMs, this.touches.msOf(list[at - 1]!));
      if (at < list.length) firstMs = Math.min(firstMs, this.touches.msOf(list[at]!));
    }
    if (firstMs === ms) return null;
    const fromMs = this.#endOf(tooOldMs);
    if (firstMs > ms) return { label: 0, fromMs, toMs: firstMs };
    return { label: this.#labelAt(lists, firstMs), fromMs: Math.max(firstMs + 1, fromMs), toMs: this.#endOf(firstMs) };
  }

  #lastStep(lists: readonly ArrayLike<number>[], ms: number): LabelStep | null {
    let [lastMs, nextMs] = [-Infinity, Infinity];
    for (const list of lists) {
      const at = firstTouchAt(this.touches, list, ms);
      if (at > 0) lastMs = Math.max(lastMs, this.touches.msOf(list[at - 1]!));
      if (at < list.length) nextMs = Math.min(nextMs, this.touches.msOf(list[at]!));
    }
    if (nextMs === ms) return null;
    const endMs = this.#endOf(lastMs);
    if (endMs <= ms) return { label: 0, fromMs: endMs, toMs: nextMs };
    return { label: this.#labelAt(lists, lastMs), fromMs: lastMs + 1, toMs: Math.min(nextMs, endMs) };
  }

  /** First ms at which a touch no longer counts. */
  #endOf(ms: number): number {
    return ms === -Infinity ? ms : ms + this.#lookbackMs + 1;
  }

  #labelAt(lists: readonly ArrayLike<number>[], ms: number): number {
    const runs = lists.map((list) => {
      const at = firstTouchAt(this.touches, list, ms);
      return at < list.length && this.touches.msOf(list[at]!) === ms ? touchesAtOnce(this.touches, list, at) : [];
    });
    return this.#labelOfRuns(runs.filter((run) => run.length > 0));
  }

  /** @param runs touches of one millisecond from each list, in order */
  #labelOfRuns(runs: readonly (readonly number[])[]): number {
    const { touches, isFirst } = this;
    const msOf = ([place]: readonly number[]) => touches.msOf(place!);
    const nearest = runs.reduce((ms, run) => (isFirst ? Math.min(ms, msOf(run)) : Math.max(ms, msOf(run))), isFirst ? Infinity : -Infinity);
    const [run = [], ...others] = runs.filter((some) => msOf(some) === nearest);
    let best = isFirst ? run[0] : run.at(-1);
    if (best === undefined) return 0;
    const all = [...run, ...others.flat()];
    // Touches of one label are interchangeable; those of one owner are in order.
    if (others.length === 0 || areOfOneLabel(touches, all)) return touches.labelOf(best);
    for (const place of all) {
      const order = touches.order(place, best);
      if (order === null) {
        this.unread.push(...all.map((other) => touches.eventAt(other)));
        return UNKNOWN;
      }
      if (isFirst ? order < 0 : order > 0) best = place;
    }
    return touches.labelOf(best);
  }

  /** The first touches of a list within the lookback that share a millisecond and are not after the event; null when ids must be read first. */
  #firstRun(list: ArrayLike<number>, ms: number, orderAtOnce: OrderAtOnce): number[] | null {
    const { touches } = this;
    return this.#notAfter(touchesAtOnce(touches, list, firstTouchAt(touches, list, ms - this.#lookbackMs)), ms, orderAtOnce);
  }

  /** The same for the latest touches. */
  #lastRun(list: ArrayLike<number>, ms: number, orderAtOnce: OrderAtOnce): number[] | null {
    const { touches } = this;
    const atOnce = firstTouchAt(touches, list, ms);
    const last = this.#notAfter(touchesAtOnce(touches, list, atOnce), ms, orderAtOnce);
    if (last === null || last.length > 0 || atOnce === 0) return last;
    const lastMs = touches.msOf(list[atOnce - 1]!);
    return lastMs < ms - this.#lookbackMs ? [] : touchesAtOnce(touches, list, firstTouchAt(touches, list, lastMs));
  }

  #notAfter(run: readonly number[], ms: number, orderAtOnce: OrderAtOnce): number[] | null {
    const orders = run.map((place) => this.touches.msOf(place) - ms || orderAtOnce(place));
    return orders.includes(null) ? null : run.filter((_, at) => orders[at]! <= 0);
  }
}

interface Accounts {
  readonly touches: CompanyTouches;
  readonly payments: PaymentCompanies;
}

interface LabelProgress {
  readonly identities: IdentityView;
  readonly generations: string;
  readonly gained: number;
  readonly companies: number;
  readonly moved: number;
}

/** Labels of payments by their own touches, under one model and level, cached until something affects them. 4 bytes a payment. */
export class PaymentLabels {
  #labels = new Int32Array(64).fill(UNKNOWN);
  #seen: LabelProgress | null = null;

  constructor(
    readonly payments: Payments,
    readonly touches: Touches,
    /** Null at level identity. */
    readonly accounts: Accounts | null,
    readonly model: AttributionModel,
  ) {}

  get byteLength(): number {
    return this.#labels.byteLength;
  }

  /** False when something is missing. Cost: about 0.3 µs for each payment that was not requested before, or was affected since. */
  settle(places: readonly number[], moment: CompanySnapshot, pending: PendingLoads): boolean {
    this.#forgetWhatChanged(moment);
    const unread: EventPlace[] = [];
    const nearest = new NearestTouch(this.touches, this.model, unread);
    const touchesOf = new TouchesOfIdentities(this.touches, moment.identities);
    for (const place of places) {
      if (this.#labels[place] !== UNKNOWN) continue;
      moment.onRowsRead(1);
      this.#labels[place] = this.#find(place, moment, touchesOf, nearest);
    }
    if (unread.length === 0) return true;
    pending.add(() => this.touches.ids.read(unread, moment.rows));
    return false;
  }

  /** Only of payments whose labels are decided; 0 for none. */
  labelOf(place: number): number {
    return this.#labels[place]!;
  }

  #forgetWhatChanged({ identities }: CompanySnapshot): void {
    const { payments, touches, accounts } = this;
    const { length } = this.#labels;
    if (payments.count > length) this.#labels = grown(this.#labels, Math.ceil(payments.count * 1.25)).fill(UNKNOWN, length);
    const now: LabelProgress = {
      identities,
      generations: `${payments.generation} ${touches.generation}`,
      gained: touches.gained.count,
      companies: accounts === null ? 0 : accounts.touches.changed.count,
      moved: accounts === null ? 0 : accounts.payments.changed.count,
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
    const moved = identities.changesSince(seen.identities);
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
    const movedPlaces = accounts.payments.changed.between(seen.moved, now.moved);
    if (companies === null || movedPlaces === null) return null;
    for (const place of movedPlaces) concerned.add(place);
    if (companies.size > 0) for (let place = 0; place < this.payments.count; place += 1) if (companies.has(accounts.payments.of(place))) concerned.add(place);
    return concerned;
  }

  /** Returns UNKNOWN after adding events whose ids must be read first. */
  #find(place: number, { identities }: CompanySnapshot, touchesOf: TouchesOfIdentities, nearest: NearestTouch): number {
    const { payments, accounts } = this;
    const actor = payments.actors[place]!;
    if (actor === 0) return 0;
    const event = payments.momentOf(place);
    const company = accounts === null ? 0 : accounts.payments.of(place);
    const lists = accounts !== null && company !== 0 ? [accounts.touches.placesOf(company)] : touchesOf.of(identities.identityOf(actor));
    return nearest.labelOf(lists, event.ms, (touch) => nearest.orderAtOnce(touch, event));
  }
}
