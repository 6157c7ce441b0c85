import type { ActorTest, Selector } from "../../filter/predicate.js";
import type { QueryScope } from "../../plan/plan.js";
import type { Rows } from "../../../storage/segment/rows.js";
import type { ActorTriples } from "../../../storage/segment/actor-triples.js";

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
  scanWho?(state: S, rows: Rows, who: ActorTriples): void;
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
export type StatesOf<P> = { readonly [N in keyof P]: P[N] extends Pass<infer S, infer _T> ? S : never };
