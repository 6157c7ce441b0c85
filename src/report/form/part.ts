import type { ActorTest, Selector } from "../../filter/predicate.js";
import type { QueryScope } from "../../plan/plan.js";
import type { Rows } from "../../segment/rows.js";
import type { Who } from "../../segment/who.js";

/**
 * How the state of whole spans of days is kept, for the next question that asks the same of them. What takes long pauses: that gives others a turn,
 * and ends the question by what it throws.
 */
export interface KeptState<S, T> {
  /** Names what is asked beyond filters and dates. */
  readonly key: string;
  /** The state in the form in which it is kept: whatever else a store learns must not change it. */
  of(state: S, pause: () => Promise<void>): T | Promise<T>;
  add(state: S, kept: T, pause: () => Promise<void>): void | Promise<void>;
  byteLength(kept: T): number;
}

/**
 * What one pass over rows makes of them: segments and heads may be scanned in any order, apart, and their states kept. A question that asks
 * of several kinds of events has a scope for each of them, and is told which rows each selects.
 */
export interface Pass<S, T = unknown> {
  /** At least one, all of the same range. */
  readonly scopes: readonly QueryScope[];
  /** Columns it reads of selected rows, beyond those of the filters. */
  readonly columns: readonly string[];
  begin(): S;
  /** Adds the selected rows of one segment or head to the state. Columns are loaded. @param selectors those of the scopes */
  scan(state: S, rows: Rows, selectors: readonly Selector[]): void;
  /** The same for all rows of one segment, by who did something there: no column is read. */
  scanWho?(state: S, rows: Rows, who: Who): void;
  /** What is left of the state of those who pass: then filters that tell actors apart are left to its end. Only with one scope, of actors alone. */
  only?(state: S, passes: ActorTest): S;
  /** Absent where the state asks more of rows than their filters and codes, such as who is who. */
  readonly kept?: KeptState<S, T>;
  /** Whether no row of this day or an earlier one can change the state; days come newest first. Only without `kept`. */
  isDone?(state: S, day: number): boolean;
  /** Rows stay in memory until the question ends. */
  readonly keepsRows?: boolean;
}

/** States are each report's own affair. */
export type AnyPart = Pass<unknown, unknown>;

/** What parts under their names come to. */
export type StatesOf<P> = { readonly [N in keyof P]: P[N] extends Pass<infer S, infer _T> ? S : never };
