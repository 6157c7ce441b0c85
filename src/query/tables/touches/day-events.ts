/* eslint-disable @typescript-eslint/no-non-null-assertion -- events are bounded by the lists of their segments */
import type { Scratch } from "../../../core/base/scratch.js";
import { piecesOf, type Steps } from "../../../core/base/yield.js";
import type { CompanyView, IdentityView } from "../../../identity/identity-view.js";
import type { ColumnOnce } from "../../../storage/segment/column-once.js";
import { actorOf } from "../../../storage/segment/summaries.js";
import type { TouchMaker, TouchReader } from "./touch-facts.js";

/** Rows tested, and events visited, in one step. */
export const ROWS_PER_STEP = 256 * 1024;
const EVENTS_PER_STEP = 16 * 1024;
/** The cost of a label in events: its url may have to be parsed. */
const EVENTS_PER_LABEL = 32;
/** The company of an event: its own, else that of its identity. */
export function companyOf(own: number, actor: number, identities: IdentityView, companies: CompanyView): number {
  return own !== 0 || actor === 0 ? own : companies.onlyCompany(identities.identityOf(actor));
}

/** The wanted rows of one segment, ascending, with their times. */
export interface PartEvents {
  readonly columns: ReadonlyMap<string, ColumnOnce>;
  readonly users: Uint32Array | null;
  readonly anonymous: Uint32Array | null;
  readonly companies: Uint32Array | null;
  readonly rows: Uint32Array;
  readonly times: Uint32Array;
}

/** The wanted events of one day by time, those of one millisecond by segment and row. */
export class DayEvents {
  readonly count: number;
  /** Ms of the day. */
  readonly times: Uint32Array;
  /** Index of the segment. */
  readonly parts: Uint32Array;
  readonly #rows: Uint32Array;
  readonly #reader: TouchReader;
  #visitedCount = 0;

  constructor(
    readonly segments: readonly PartEvents[],
    readonly identities: IdentityView,
    /** Null at level identity. */
    readonly companies: CompanyView | null,
    readonly maker: TouchMaker,
    scratch: Scratch,
  ) {
    this.count = segments.reduce((sum, { rows }) => sum + rows.length, 0);
    this.times = scratch.take(this.count);
    this.parts = scratch.take(this.count);
    this.#rows = scratch.take(this.count);
    this.#reader = maker.reader();
  }

  /** Merges the events of the segments; call it first. */
  *order(): Steps<void> {
    const { segments } = this;
    const next = new Uint32Array(segments.length);
    yield* piecesOf(this.count, ROWS_PER_STEP, (from, to) => {
      for (let at = from; at < to; at += 1) {
        let [first, firstMs] = [0, Infinity];
        for (let part = 0; part < segments.length; part += 1) {
          const ms = segments[part]!.times[next[part]!] ?? Infinity;
          if (ms < firstMs) [first, firstMs] = [part, ms];
        }
        this.times[at] = firstMs;
        this.parts[at] = first;
        this.#rows[at] = segments[first]!.rows[next[first]!]!;
        next[first]! += 1;
      }
    });
  }

  /** Counts one event more; true if a step ends. */
  isStepDone(): boolean {
    this.#visitedCount += 1;
    if (this.#visitedCount < EVENTS_PER_STEP) return false;
    this.#visitedCount = 0;
    return true;
  }

  actorAt(at: number): number {
    const { users, anonymous } = this.segments[this.parts[at]!]!;
    const row = this.#rows[at]!;
    return actorOf(users === null ? 0 : users[row]!, anonymous === null ? 0 : anonymous[row]!);
  }

  /** The identity of an event, 0 for none, and its company as a negative number. */
  ownersAt(at: number): readonly number[] {
    const actor = this.actorAt(at);
    const company = this.#companyAt(at, actor);
    const identity = actor === 0 ? 0 : this.identities.identityOf(actor);
    return company === 0 ? [identity] : [identity, -company];
  }

  isOf(at: number, owner: number): boolean {
    const actor = this.actorAt(at);
    return owner < 0 ? this.#companyAt(at, actor) === -owner : actor !== 0 && this.identities.identityOf(actor) === owner;
  }

  /** 0: no touch. */
  labelAt(at: number): number {
    const { columns } = this.segments[this.parts[at]!]!;
    const row = this.#rows[at]!;
    this.#visitedCount += EVENTS_PER_LABEL;
    const label = this.maker.numbers.ofRow((name) => columns.get(name)?.at(row) ?? 0, this.#reader);
    return this.maker.labels.takesRevenue(label) ? label : 0;
  }

  #companyAt(at: number, actor: number): number {
    if (this.companies === null) return 0;
    return companyOf(this.segments[this.parts[at]!]!.companies?.[this.#rows[at]!] ?? 0, actor, this.identities, this.companies);
  }
}
