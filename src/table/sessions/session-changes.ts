/* eslint-disable @typescript-eslint/no-non-null-assertion -- parts are bounded by their number */
import { LIMITS } from "../../base/limits.js";
import { dayOf, dayStartMs, MS_PER_DAY } from "../../base/time.js";
import { BitSet } from "../../column/bit-set.js";
import type { RowsOfMoment } from "../../derived/store-table.js";
import type { IdentityView } from "../../identity/identity-view.js";
import type { SessionRule } from "../../plan/plan.js";
import { HeadView } from "../../segment/head.js";
import type { Rows } from "../../segment/rows.js";
import { keyOfRows, type Part } from "./part.js";
import type { SessionView } from "./session-view.js";

/** Rows of one moment, and who was who. */
export interface SessionMoment extends RowsOfMoment {
  readonly identities: IdentityView;
}

/** Rows of a head that came since. */
export interface GrownPart {
  readonly number: number;
  readonly rows: HeadView;
  /** Rows that were there before. */
  readonly rowCount: number;
}

/** What a moment has that a view has not. */
export interface SessionChanges {
  /** All rows of the moment by the number of their part; new heads stand last. */
  readonly rowsOf: readonly Rows[];
  readonly grown: readonly GrownPart[];
  /** Who came to another identity. */
  readonly moved: ReadonlySet<number>;
}

/** What came since a view; null where it is too much for one turn, and where rows were sealed. Cost: the segments and heads. */
export function changesSince(view: SessionView, { rows: all, identities }: SessionMoment): SessionChanges | null {
  const moved = identities.movedSince(view.identities);
  if (moved === null || moved.size > LIMITS.restitchedCount) return null;
  const rowsOf: Rows[] = new Array<Rows>(view.parts.length);
  const grown: GrownPart[] = [];
  let [knownCount, newRowCount] = [0, 0];
  for (const rows of all) {
    const known = view.partNumbers.get(keyOfRows(rows));
    const number = known ?? rowsOf.length;
    const rowCount = known === undefined ? 0 : view.rowsOf[known]!.rowCount;
    if (known !== undefined) knownCount += 1;
    rowsOf[number] = rows;
    if (known !== undefined && rows.rowCount === rowCount) continue;
    if (!(rows instanceof HeadView) || rows.rowCount < rowCount) return null;
    newRowCount += rows.rowCount - rowCount;
    grown.push({ number, rows, rowCount });
  }
  return knownCount === view.parts.length && newRowCount <= LIMITS.restitchedCount ? { rowsOf, grown, moved } : null;
}

/** Between which epoch ms somebody got events; null: all their sessions may have become others. */
type Touched = { fromMs: number; toMs: number } | null;

/** Whose sessions change. */
export class Concerned {
  /** All ids of the identities that are concerned. */
  readonly actors = new BitSet();
  readonly #touched = new Map<number, Touched>();
  /** The least ids of identities all of which are made anew: of users, and others. Those who came last are the greatest. */
  #leastUser = Number.POSITIVE_INFINITY;
  #leastAnonymous = Number.POSITIVE_INFINITY;
  /** Numbers of the days of which others got events. */
  readonly #days = new Set<number>();

  constructor(
    readonly former: IdentityView,
    readonly identities: IdentityView,
    readonly rule: SessionRule,
  ) {}

  get identitiesTouched(): Iterable<number> {
    return this.#touched.keys();
  }

  /** Some came from one identity to another: all of both is made anew. Cost: the ids of all these identities. */
  move(moved: Iterable<number>): void {
    const { former, identities } = this;
    const [left, reached] = [new Set<number>(), new Set<number>()];
    for (const actor of moved) {
      left.add(former.identityOf(actor));
      reached.add(identities.identityOf(actor));
    }
    for (const identity of left) for (const actor of former.actorsOf(identity)) this.#remake(actor);
    for (const identity of reached) for (const actor of identities.actorsOf(identity)) this.#remake(actor);
  }

  #remake(actor: number): void {
    this.actors.add(actor);
    if ((actor & 1) === 0) this.#leastUser = Math.min(this.#leastUser, actor);
    else this.#leastAnonymous = Math.min(this.#leastAnonymous, actor);
    this.#touched.set(this.identities.identityOf(actor), null);
  }

  /** Somebody got events. To be told after all moves. Cost: their ids, the first time. */
  grow(actor: number, fromMs: number, toMs: number): void {
    const identity = this.identities.identityOf(actor);
    const touched = this.#touched.get(identity);
    if (touched === null) return;
    if (touched === undefined) {
      for (const other of this.identities.actorsOf(identity)) this.actors.add(other);
      this.#touched.set(identity, { fromMs, toMs });
      this.#addDays(fromMs, toMs);
      return;
    }
    // Sessions between two events are made anew with them, from all of their runs.
    if (fromMs < touched.fromMs) this.#addDays(fromMs, touched.fromMs);
    if (toMs > touched.toMs) this.#addDays(touched.toMs, toMs);
    touched.fromMs = Math.min(touched.fromMs, fromMs);
    touched.toMs = Math.max(touched.toMs, toMs);
  }

  #addDays(fromMs: number, toMs: number): void {
    for (let day = dayOf(fromMs); day <= dayOf(toMs); day += 1) this.#days.add(day);
  }

  /** Whether runs of a part may be of sessions that change. Cost: the days of which somebody got events. */
  mayBeIn({ runs, startMs, isDivided }: Part): boolean {
    if (this.#leastUser <= runs.greatestUser || this.#leastAnonymous <= runs.greatestAnonymous || isDivided) return true;
    const reachMs = this.rule.maxMs + this.rule.gapMs + MS_PER_DAY;
    for (const day of this.#days) if (Math.abs(dayStartMs(day) - startMs) <= reachMs) return true;
    return false;
  }

  /** Whether an actor's session between two instants may become another one. */
  isTouched(actor: number, startMs: number, endMs: number): boolean {
    const { gapMs } = this.rule;
    const touched = this.#touched.get(this.identities.identityOf(actor));
    return touched !== undefined && (touched === null || (startMs - gapMs <= touched.toMs && endMs + gapMs >= touched.fromMs));
  }
}
