/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows, candidates and payments are bounded by their lists */
import { getOrMake, grouped } from "../../../core/base/arrays.js";
import { inOrder } from "../../../core/base/promises.js";
import { Scratch } from "../../../core/base/scratch.js";
import { dayOf, dayStartMs } from "../../../core/base/time.js";
import { runYielding, piecesOf, type Steps } from "../../../core/base/yield.js";
import { TIME_COLUMN } from "../../../core/schema/fields.js";
import type { CompanySnapshot } from "../../../identity/company-view.js";
import type { ColumnOnce } from "../../../storage/segment/column-once.js";
import { whilePinned, type Rows } from "../../../storage/segment/rows.js";
import { ACTOR_COLUMNS, actorOf } from "../../../storage/segment/summaries.js";
import type { RevenueByAttributionPlan } from "../../plan/plan.js";
import { companyOf, DayEvents, ROWS_PER_STEP, type PartEvents } from "./day-events.js";
import type { TouchMaker } from "./touch-facts.js";

export interface LabelledPayment {
  /** Its position. */
  readonly place: number;
  /** Epoch ms. */
  readonly ms: number;
  readonly actor: number;
  /** Its company at level account; 0 for none, and at level identity. */
  readonly company: number;
}

export interface LabelRequest {
  readonly payments: readonly LabelledPayment[];
  /** Upper bound of actors, exclusive. */
  readonly actorEnd: number;
  /** Upper bound of company codes, exclusive. */
  readonly companyEnd: number;
}

/** A snapshot, and what yields to other work. */
export interface LabelSnapshot extends CompanySnapshot {
  /** @throws aborted */
  readonly pause: () => Promise<void>;
}

/** One segment, its columns read for one use. */
interface PartOnce {
  readonly columns: ReadonlyMap<string, ColumnOnce>;
  readonly rowCount: number;
}

interface DayOnce {
  readonly parts: readonly PartOnce[];
  readonly scratch: Scratch;
}

/** With more events in one millisecond the table decides: each payment and each touch visits the others of its millisecond. */
const AT_ONCE_COUNT_MAX = 64;

/**
 * Finds the labels of payments, by position, in one pass over the segments up to the latest payment. It reads whole rows only for touches that may
 * decide. Touches count however old they are. Null if the table of touches must decide: heads have rows, people changed their company, or only ids or
 * sequences order the touches. Cost: actors and times of the rows.
 */
export async function labelsInOnePass({ model, level }: RevenueByAttributionPlan, request: LabelRequest, moment: LabelSnapshot, maker: TouchMaker): Promise<ReadonlyMap<number, number> | null> {
  const lastDay = request.payments.reduce((day, { ms }) => Math.max(day, dayOf(ms)), -Infinity);
  const rows = moment.rows.filter(({ day }) => day <= lastDay);
  const isOfAccounts = level === "account";
  if (rows.some(({ sealed }) => !sealed) || (isOfAccounts && moment.companies?.hasChanges !== false)) return null;
  const pass = new (model === "first_touch" ? FirstTouches : LastTouches)(request, isOfAccounts, moment, maker);
  const days = [...grouped(rows, ({ day }) => day)].sort(([a], [b]) => (a - b) * pass.direction);
  const columns = [TIME_COLUMN, ...ACTOR_COLUMNS, ...(isOfAccounts ? ["companyId"] : []), ...maker.reader().columns];
  await inOrder(days, ([, ofDay]) => readDay(ofDay, columns), async (read, [day, ofDay]) => {
    try {
      for (const { rowCount } of ofDay) moment.onRowsRead(rowCount);
      await runYielding(pass.takeDay(day, read), moment.pause);
    } finally {
      read.scratch.releaseAll();
    }
    return !pass.isUndecided;
  });
  return pass.isUndecided ? null : pass.labels;
}

/** The caller releases the scratch. */
async function readDay(segments: readonly Rows[], names: readonly string[]): Promise<DayOnce> {
  const scratch = new Scratch();
  const read = async (segment: Rows): Promise<PartOnce> => {
    const present = names.filter((name) => name === TIME_COLUMN || segment.zone(name) !== null);
    const columns = await Promise.all(present.map(async (name): Promise<[string, ColumnOnce]> => [name, await segment.readOnce(name, scratch)]));
    return { rowCount: segment.rowCount, columns: new Map(columns) };
  };
  try {
    return { parts: await whilePinned(segments, () => Promise.all(segments.map(read))), scratch };
  } catch (error) {
    scratch.releaseAll();
    throw error;
  }
}

/** Labels payments from the touches of their identities and companies, day by day. */
abstract class LabelPass {
  /** By position of the payment. */
  readonly labels = new Map<number, number>();
  /** Whether only ids or sequences tell some order. */
  isUndecided = false;
  /** 1 or -1: days ascend or descend. */
  abstract readonly direction: number;
  readonly #ofDays: ReadonlyMap<number, readonly LabelledPayment[]>;
  /** 1 for the ids and companies whose touches are wanted. */
  readonly #wantedActors: Uint8Array;
  readonly #wantedCompanies: Uint8Array;
  /** Null at level identity. */
  readonly #companies: CompanySnapshot["companies"];

  constructor(
    readonly request: LabelRequest,
    isOfAccounts: boolean,
    readonly moment: LabelSnapshot,
    readonly maker: TouchMaker,
  ) {
    for (const { place } of request.payments) this.labels.set(place, 0);
    this.#ofDays = grouped(request.payments, ({ ms }) => dayOf(ms));
    this.#companies = isOfAccounts ? moment.companies : null;
    this.#wantedActors = new Uint8Array(request.actorEnd);
    this.#wantedCompanies = new Uint8Array(request.companyEnd);
  }

  *takeDay(day: number, { parts, scratch }: DayOnce): Steps<void> {
    const payments = [...(this.#ofDays.get(day) ?? [])].sort((a, b) => a.ms - b.ms);
    this.beginDay(payments);
    const segments: PartEvents[] = [];
    for (const part of parts) segments.push(yield* this.#wantedOf(part, scratch));
    const events = new DayEvents(segments, this.moment.identities, this.#companies, this.maker, scratch);
    yield* events.order();
    yield* this.label(payments, events, dayStartMs(day));
  }

  protected abstract beginDay(payments: readonly LabelledPayment[]): void;

  /** Labels the payments of a day, given by time. */
  protected abstract label(payments: readonly LabelledPayment[], events: DayEvents, startMs: number): Steps<void>;

  /** An identity, or a company as a negative number. */
  protected ownerOf({ actor, company }: LabelledPayment): number {
    return company === 0 ? this.moment.identities.identityOf(actor) : -company;
  }

  protected want(owner: number, isWanted: boolean): void {
    if (owner < 0) this.#wantedCompanies[-owner] = isWanted ? 1 : 0;
    else for (const actor of this.moment.identities.actorsOf(owner)) this.#wantedActors[actor] = isWanted ? 1 : 0;
  }

  /** The label from the touches of a payment's own millisecond that are not after it: rows of a part are in order, and one of them is the payment. */
  protected labelBeside(payment: LabelledPayment, events: DayEvents, at: number, isFirst: boolean): number {
    const owner = this.ownerOf(payment);
    const atOnce = this.#atOnce(events, at);
    const touches = atOnce.filter((other) => events.isOf(other, owner) && events.labelAt(other) !== 0);
    if (touches.length === 0) return 0;
    const [own, ...others] = atOnce.filter((other) => events.actorAt(other) === payment.actor);
    if (own === undefined || others.length > 0 || touches.some((other) => events.parts[other] !== events.parts[own])) {
      this.isUndecided = true;
      return 0;
    }
    const touch = touches.filter((other) => other <= own).at(isFirst ? 0 : -1);
    return touch === undefined ? 0 : events.labelAt(touch);
  }

  /** Touches of different segments at one millisecond must have one label, or different owners. */
  protected checkAtOnce(events: DayEvents, touch: number, owner: number): void {
    const { parts } = events;
    const isOther = (at: number) => parts[at] !== parts[touch] && events.isOf(at, owner) && events.labelAt(at) !== 0 && events.labelAt(at) !== events.labelAt(touch);
    if (this.#atOnce(events, touch).some(isOther)) this.isUndecided = true;
  }

  /** The events of one millisecond, in order; none if they are too many. */
  #atOnce({ times, count }: DayEvents, at: number): number[] {
    let first = at;
    while (first > 0 && times[first - 1] === times[at] && at - first < AT_ONCE_COUNT_MAX) first -= 1;
    const found: number[] = [];
    for (let next = first; next < count && times[next] === times[at] && found.length <= AT_ONCE_COUNT_MAX; next += 1) found.push(next);
    if (found.length <= AT_ONCE_COUNT_MAX) return found;
    this.isUndecided = true;
    return [];
  }

  *#wantedOf({ columns, rowCount }: PartOnce, scratch: Scratch): Steps<PartEvents> {
    const allOf = (name: string) => columns.get(name)?.all() ?? null;
    const [users, anonymous, companies] = [allOf("userId"), allOf("anonymousId"), this.#companies === null ? null : allOf("companyId")];
    const [wantedActors, wantedCompanies] = [this.#wantedActors, this.#wantedCompanies];
    const rows = scratch.take(rowCount);
    let count = 0;
    yield* piecesOf(rowCount, ROWS_PER_STEP, (from, to) => {
      for (let row = from; row < to; row += 1) {
        const actor = actorOf(users === null ? 0 : users[row]!, anonymous === null ? 0 : anonymous[row]!);
        rows[count] = row;
        if (wantedActors[actor] === 1 || (this.#companies !== null && wantedCompanies[companyOf(companies?.[row] ?? 0, actor, this.moment.identities, this.#companies)] === 1)) count += 1;
      }
    });
    const wanted = rows.subarray(0, count);
    const times = scratch.take(count);
    if (count > 0) columns.get(TIME_COLUMN)?.pick(wanted, times);
    return { columns, users, anonymous, companies, rows: wanted, times };
  }
}

/** Days ascend. The touches of an owner are wanted until the first one is found. */
class FirstTouches extends LabelPass {
  readonly direction = 1;
  readonly #open = new Set<number>();
  readonly #firsts = new Map<number, number>();

  protected beginDay(): void {
    if (this.#open.size + this.#firsts.size > 0) return;
    for (const payment of this.request.payments) this.#open.add(this.ownerOf(payment));
    for (const owner of this.#open) this.want(owner, true);
  }

  protected *label(payments: readonly LabelledPayment[], events: DayEvents, startMs: number): Steps<void> {
    let next = 0;
    for (const payment of [...payments, null]) {
      if (this.isUndecided) return;
      for (; next < events.count && startMs + events.times[next]! < (payment?.ms ?? Infinity); next += 1) {
        this.#take(events, next);
        if (events.isStepDone()) yield;
      }
      if (payment === null) return;
      if (events.isStepDone()) yield;
      const isAtOnce = next < events.count && startMs + events.times[next]! === payment.ms;
      this.labels.set(payment.place, this.#firsts.get(this.ownerOf(payment)) ?? (isAtOnce ? this.labelBeside(payment, events, next, true) : 0));
    }
  }

  #take(events: DayEvents, at: number): void {
    for (const owner of events.ownersAt(at)) {
      const label = this.#open.has(owner) ? events.labelAt(at) : 0;
      if (label === 0) continue;
      this.checkAtOnce(events, at, owner);
      this.#open.delete(owner);
      this.#firsts.set(owner, label);
      this.want(owner, false);
    }
  }
}

/** Days descend. The touches of an owner are wanted while payments look for one. */
class LastTouches extends LabelPass {
  readonly direction = -1;
  /** Positions of payments that look for a touch, by owner. */
  readonly #open = new Map<number, number[]>();

  protected beginDay(payments: readonly LabelledPayment[]): void {
    for (const owner of this.#ownersOf(payments)) this.want(owner, true);
  }

  protected *label(payments: readonly LabelledPayment[], events: DayEvents, startMs: number): Steps<void> {
    /** Payments without a touch at their own millisecond, latest first; those before `opened` look for one already. */
    const waiting: LabelledPayment[] = [];
    let opened = 0;
    const openAfter = (ms: number) => {
      for (; opened < waiting.length && waiting[opened]!.ms > ms; opened += 1)
        getOrMake(this.#open, this.ownerOf(waiting[opened]!), () => []).push(waiting[opened]!.place);
    };
    let next = events.count - 1;
    for (const payment of [null, ...payments].reverse()) {
      if (this.isUndecided) return;
      for (; next >= 0 && startMs + events.times[next]! > (payment?.ms ?? -Infinity); next -= 1) {
        openAfter(startMs + events.times[next]!);
        this.#take(events, next);
        if (events.isStepDone()) yield;
      }
      if (payment === null) break;
      if (events.isStepDone()) yield;
      let from = next + 1;
      while (from > 0 && startMs + events.times[from - 1]! === payment.ms) from -= 1;
      const label = from > next ? 0 : this.labelBeside(payment, events, from, false);
      if (label === 0) waiting.push(payment);
      else this.labels.set(payment.place, label);
    }
    openAfter(-Infinity);
    // A touch of the day may have answered a later payment of its owner, while an earlier one still looks for a touch.
    for (const owner of this.#ownersOf(payments)) this.want(owner, this.#open.has(owner));
  }

  #ownersOf(payments: readonly LabelledPayment[]): Set<number> {
    return new Set(payments.map((payment) => this.ownerOf(payment)));
  }

  #take(events: DayEvents, at: number): void {
    for (const owner of events.ownersAt(at)) {
      const places = this.#open.get(owner);
      const label = places === undefined ? 0 : events.labelAt(at);
      if (places === undefined || label === 0) continue;
      this.checkAtOnce(events, at, owner);
      for (const place of places) this.labels.set(place, label);
      this.#open.delete(owner);
      this.want(owner, false);
    }
  }
}
