import type { ActorTest } from "../../filter/predicate.js";
import type { Selector } from "../../filter/select.js";
import type { QueryScope, AnyPlan } from "../../plan/plan.js";
import type { Rows } from "../../../storage/segment/rows.js";
import type { BothActors } from "../../../storage/segment/summaries.js";
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";
import type { TableSnapshot } from "../../tables/tables.js";
import type { TouchMaker } from "../../tables/touches/touch-facts.js";
import type { InsightScope } from "../../plan/insights/plan.js";

/**
 * How the state of whole spans of days is cached for later queries that compute the same.
 * Long work awaits `pause`, which yields and ends the query by throwing.
 */
export interface CachedState<S, T> {
  /** Identifies what is computed, beyond filters and dates. */
  readonly key: string;
  /**
   * Makes the state of a span that will be cached. With it, a span is cached only when a second query asks for it: the cached form costs more than
   * one answer.
   */
  beginRepeated?(): S;
  /** The state in cacheable form: it must not depend on data that the store adds later. */
  of(state: S, pause: () => Promise<void>): T | Promise<T>;
  add(state: S, cached: T, pause: () => Promise<void>): void | Promise<void>;
  byteLength(cached: T): number;
}

/** The compiled scopes of a pass, in their order. */
export type Selectors = readonly [Selector, ...Selector[]];

/**
 * One pass over rows: segments and heads may be scanned in any order, independently, and their states cached.
 * A query over several kinds of events has one scope per kind, and gets one selector per scope.
 */
export interface Pass<S, T = unknown> {
  /** At least one, all with the same range. */
  readonly scopes: readonly QueryScope[];
  /** Columns it reads of selected rows, besides those of the filters. */
  readonly columns: readonly string[];
  begin(): S;
  /** Adds the selected rows of one segment or head to the state. Columns must be loaded. */
  scan(state: S, rows: Rows, selectors: Selectors): void;
  /** Adds all rows of one segment from its lists of actors, without reading columns. */
  scanActors?(state: S, rows: Rows, actors: BothActors): void;
  /** Restricts a state to the actors that pass, so that actor filters can be applied at the end. Only with one scope and a state of actors alone. */
  only?(state: S, passes: ActorTest): S;
  /** Absent if the state depends on more than filters and codes, for example on identities. */
  readonly cached?: CachedState<S, T>;
  /** Whether no row of a segment or head can change the state, judged without its columns. Only without `cached`. */
  skips?(rows: Rows): boolean;
  /** Whether no row of this day or earlier can change the state; days come newest first. Only without `cached`. */
  isDone?(state: S, day: number): boolean;
  /** Rows stay in memory until the query ends. */
  readonly keepsRows?: boolean;
}

/** A pass with any state; state types are private to each report. */
export type AnyPass = Pass<unknown, unknown>;

/** The state of a pass that was run. */
export type StateOf = <S>(pass: Pass<S>) => S;

/** The snapshot that a report is computed from. */
export interface RowContext extends TableSnapshot {
  /** Reads the touches of rows. */
  readonly touches: TouchMaker;
}

/** The passes of one query, and how their states become its answer. */
interface PreparedReport<A> {
  /** They run one after the other; none if tables suffice. */
  readonly passes: readonly AnyPass[];
  finish(stateOf: StateOf): A | Promise<A>;
}

/** A report computed from passes over rows. `P`: its plan; `A`: its answer. */
export interface RowReport<P extends AnyPlan, A> {
  /** Whether the report needs companies besides those that its plan names. */
  needsCompanies?(plan: P): boolean;
  /** Whether `prepare` reads tables that must not be dropped meanwhile. */
  readonly readsTables?: boolean;
  /**
   * Runs synchronously with the snapshot: tables, links and dictionaries match it. Null if something is missing.
   * Long work of `finish` awaits `context.pause`.
   */
  prepare(plan: P, context: RowContext, pending: PendingLoads): PreparedReport<A> | null;
}

/** A report computed from all-time tables and the rows that they refer to. */
export interface TableReport<P extends AnyPlan, A> {
  /** Whether the report needs companies besides those that its plan names. */
  needsCompanies?(plan: P): boolean;
  /**
   * Starts synchronously with the snapshot: until the first `await`, tables and links match it. Null if something is missing.
   * @throws aborted, by `moment.pause`
   */
  answer(plan: P, moment: TableSnapshot, pending: PendingLoads): A | Promise<A> | null;
}

export type Report<P extends AnyPlan, A> = RowReport<P, A> | TableReport<P, A>;

/** For a report with a single pass. */
export function onePass<S, A>(pass: Pass<S>, finish: (state: S) => A | Promise<A>): PreparedReport<A> {
  return { passes: [pass], finish: (stateOf) => finish(stateOf(pass)) };
}

/** The sequence of the snapshot, if `asOf` was requested; otherwise null, so that equal results stay equal while events are written. */
export function asOfAnswer({ asOf }: InsightScope, { sequence }: RowContext): number | null {
  return asOf === null ? null : sequence;
}
