import type { Dictionaries } from "../column/dictionaries.js";
import type { Selector } from "../filter/predicate.js";
import type { CompanyView, IdentityView, KnownEnds } from "../identity/identity-view.js";
import type { Rates } from "../plan/input.js";
import type { Answer, Plan, ReportName, TouchRule } from "../plan/plan.js";
import type { Rows } from "../segment/rows.js";
import type { Who } from "../segment/who.js";

/** Keeps what was computed from a list of parts until the list changes. */
export interface Memo {
  /** The value of `key` made from exactly these parts (compared one by one), or a new one. */
  of<T>(key: string, parts: readonly object[], make: () => T): T;
}

/** What a report may look at besides rows. */
export interface ReportContext {
  readonly dictionaries: Dictionaries;
  readonly identities: IdentityView;
  /** Of the snapshot: ids and companies beyond were not there yet, whatever is known of them by now. */
  readonly ends: KnownEnds;
  readonly selector: Selector;
  /** Greatest sequence of the snapshot. */
  readonly sequence: number;
  /** Present for reports that say `needsCompanies`. */
  readonly companies: CompanyView | null;
  readonly rates: Rates;
  /** Which visits count as brought by somebody. */
  readonly touchRule: TouchRule;
  readonly memo: Memo;
}

/** How the state of whole parts is kept, for the next question with the same filters. */
export interface KeptStates<K extends ReportName, S, T> {
  /** Names what the plan asks beyond its filters and dates; null where it cannot be kept. */
  key(plan: Plan<K>, context: ReportContext): string | null;
  /** The state in the form in which it is kept: whatever else a store learns must not change it. */
  of(state: S): T;
  add(state: S, kept: T): void;
  byteLength(kept: T): number;
}

/**
 * One kind of question as a mergeable fold over segments: `merge` is associative and commutative, so segments may be
 * scanned in any order, apart, and their states kept.
 */
export interface Report<K extends ReportName, S, T = unknown> {
  /** Columns it reads of selected rows, beyond those of the filters. */
  columns(plan: Plan<K>, context: ReportContext): readonly string[];
  begin(plan: Plan<K>, context: ReportContext): S;
  /** Folds the selected rows of one segment or head into the state. Columns are loaded. */
  scan(state: S, rows: Rows, context: ReportContext): void;
  /** The same for all rows of one segment, by who did something there: no column is read. */
  scanWho?(state: S, rows: Rows, who: Who): void;
  merge(into: S, from: S): void;
  /** @param pause gives others a turn where the thread was held for long; what it throws ends the question */
  finish(state: S, plan: Plan<K>, context: ReportContext, pause: () => Promise<void>): Answer<K> | Promise<Answer<K>>;
  /** Absent where the answer asks more of rows than their filters and codes. */
  readonly kept?: KeptStates<K, S, T>;
  /** Whether no row of this day or an earlier one can change the answer; days come newest first. */
  isDone?(state: S, day: number): boolean;
  /** `finish` reads rows again: they stay in memory until then. */
  readonly keepsRows?: boolean;
  /** `context.companies` is asked. */
  readonly needsCompanies?: (plan: Plan<K>) => boolean;
}
