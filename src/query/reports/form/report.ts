import type { Selector } from "../../filter/select.js";
import type { ActorTest, KnownFields } from "../../filter/predicate.js";
import type { QueryScope, AnyPlan } from "../../plan/plan.js";
import type { Rows } from "../../../storage/segment/rows.js";
import type { ActorTriples } from "../../../storage/segment/summaries.js";
import type { Dictionaries } from "../../../storage/column/dictionaries.js";
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";
import type { CompanyView, IdentityView } from "../../../identity/identity-view.js";
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
  /** The state in cacheable form: it must not depend on data that the store adds later. */
  of(state: S, pause: () => Promise<void>): T | Promise<T>;
  add(state: S, kept: T, pause: () => Promise<void>): void | Promise<void>;
  byteLength(kept: T): number;
}

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
  /** Adds the selected rows of one segment or head to the state. Columns must be loaded. @param selectors one per scope */
  scan(state: S, rows: Rows, selectors: readonly Selector[]): void;
  /** Adds all rows of one segment from its list of actors, without reading columns. */
  scanActors?(state: S, rows: Rows, who: ActorTriples): void;
  /** Restricts a state to the actors that pass, so that actor filters can be applied at the end. Only with one scope and a state of actors alone. */
  only?(state: S, passes: ActorTest): S;
  /** Absent if the state depends on more than filters and codes, for example on identities. */
  readonly kept?: CachedState<S, T>;
  /** Whether no row of this day or earlier can change the state; days come newest first. Only without `kept`. */
  isDone?(state: S, day: number): boolean;
  /** Rows stay in memory until the query ends. */
  readonly keepsRows?: boolean;
}

/** A pass with any state; state types are private to each report. */
export type AnyPass = Pass<unknown, unknown>;

/** The states of parts by name. */
type StatesOf<P> = { readonly [N in keyof P]: P[N] extends Pass<infer S, infer _T> ? S : never };

/** What a report may read besides rows. */
export interface RowContext {
  readonly dictionaries: Dictionaries;
  readonly identities: IdentityView;
  /** Greatest sequence of the snapshot. */
  readonly sequence: number;
  /** Null if the plan needs no companies. */
  readonly companies: CompanyView | null;
  /** Reads the touches of rows. */
  readonly touches: TouchMaker;
  /** Values that the plan refers to: of people, companies and attribution. */
  readonly known: KnownFields;
}

/** A row context with the selector of the rows of its pass. */
export interface PassContext extends RowContext {
  readonly selector: Selector;
}

/** How the state of whole segments or spans is cached for later queries with the same filters. */
export interface CachedStates<P extends AnyPlan, S, T> {
  /** Identifies what the plan computes, beyond its filters and dates; null if it cannot be cached. */
  key(plan: P, context: PassContext): string | null;
  /** The state in cacheable form: it must not depend on data that the store adds later. */
  of(state: S, pause: () => Promise<void>): T | Promise<T>;
  add(state: S, kept: T, pause: () => Promise<void>): void | Promise<void>;
  byteLength(kept: T): number;
}

/**
 * A report that passes once over the rows that its plan selects: segments may be read in any order, independently, and their states cached.
 * `P`: its plan; `A`: its answer; `S` and `T`: a state, and how it is cached; `R`: what it reads from tables.
 */
export interface SinglePass<P extends AnyPlan, A, S, T = unknown, R = null> {
  readonly kind: "single_pass";
  /** Columns it reads of selected rows, besides those of the filters. */
  columns(plan: P, context: PassContext): readonly string[];
  /** Reads tables, synchronously with the snapshot; null if something is missing. */
  read?(plan: P, moment: TableSnapshot, missing: PendingLoads): R | null;
  /** @param read null if the report reads no tables */
  begin(plan: P, context: PassContext, read: R): S;
  /** Folds the selected rows of one segment or head into the state. Columns must be loaded. */
  scan(state: S, rows: Rows, context: PassContext): void;
  /** Folds all rows of one segment from its list of actors, without reading columns. */
  scanActors?(state: S, rows: Rows, who: ActorTriples): void;
  /** @param pause yields if the thread was busy for long; what it throws ends the query */
  finish(state: S, plan: P, context: PassContext, pause: () => Promise<void>): A | Promise<A>;
  /** Absent if the result depends on more than filters and codes. */
  readonly kept?: CachedStates<P, S, T>;
  /** Restricts a state to the actors that pass, so that actor filters can be applied at the end. Only for a state of actors alone. */
  only?(state: S, passes: ActorTest): S;
  /** Whether no row of this day or earlier can change the result; days come newest first. */
  isDone?(state: S, day: number): boolean;
  /** Rows stay in memory until `finish`, which reads them again. */
  readonly keepsRows?: boolean;
  /** Whether the report needs companies. */
  readonly needsCompanies?: (plan: P) => boolean;
}

/** A report computed from all-time tables and the rows that they refer to. */
export interface TableQuery<P extends AnyPlan, A> {
  readonly kind: "table_query";
  /** Whether the report needs companies. */
  readonly needsCompanies?: (plan: P) => boolean;
  /**
   * Starts synchronously with the snapshot: until the first `await`, tables and links match it. Null if something is missing.
   * @throws aborted, by `moment.pause`
   */
  answer(plan: P, moment: TableSnapshot, missing: PendingLoads): A | Promise<A> | null;
}

/**
 * A report that needs several passes over rows, each with its own selection, and combines their states.
 * `Parts`: the passes by name; `R`: what it reads from tables.
 */
export interface MultiPass<P extends AnyPlan, A, Parts extends Readonly<Record<string, AnyPass>>, R = null> {
  readonly kind: "multi_pass";
  /** Reads tables, synchronously with the snapshot; null if something is missing. */
  read?(plan: P, moment: TableSnapshot, missing: PendingLoads): R | null;
  /** Whether the report needs companies. */
  readonly needsCompanies?: (plan: P) => boolean;
  /** The passes to run, created synchronously with the snapshot. @param read null if the report reads no tables */
  parts(plan: P, context: RowContext, read: R): Parts;
  /** @param pause yields if the thread was busy for long; what it throws ends the query */
  finish(states: StatesOf<Parts>, plan: P, context: RowContext, read: R, pause: () => Promise<void>): A | Promise<A>;
}

/** A single pass with any state; state types are private to each report. */
export type AnySinglePass<P extends AnyPlan, A> = SinglePass<P, A, unknown, unknown, unknown>;

/** Passes with any states; state types are private to each report. */
export type AnyMultiPass<P extends AnyPlan, A> = MultiPass<P, A, Readonly<Record<string, AnyPass>>, unknown>;

export type Report<P extends AnyPlan, A> = AnySinglePass<P, A> | TableQuery<P, A> | AnyMultiPass<P, A>;

/** The sequence of the snapshot, if `asOf` was requested; otherwise null, so that equal results stay equal while events are written. */
export function asOfAnswer({ asOf }: InsightScope, { sequence }: RowContext): number | null {
  return asOf === null ? null : sequence;
}
