import type { Dictionaries } from "../../column/dictionaries.js";
import type { Missing } from "../../derived/missing.js";
import type { KnownFields } from "../../filter/known-fields.js";
import type { ActorTest, Selector } from "../../filter/predicate.js";
import type { CompanyView, IdentityView } from "../../identity/identity-view.js";
import type { Answer, Plan, ReportName } from "../../plan/plan.js";
import type { Rows } from "../../segment/rows.js";
import type { Who } from "../../segment/who.js";
import type { TableMoment } from "../../table/tables.js";
import type { TouchMaker } from "../../table/touches/touch-maker.js";
import type { AnyPart, StatesOf } from "./part.js";

/** What a report may look at besides rows. */
export interface RowContext {
  readonly dictionaries: Dictionaries;
  readonly identities: IdentityView;
  /** Greatest sequence of the snapshot. */
  readonly sequence: number;
  /** Null where the plan does not ask for companies. */
  readonly companies: CompanyView | null;
  /** What touches are read with. */
  readonly touches: TouchMaker;
  /** What the plan names of people, companies, and who brought them. */
  readonly known: KnownFields;
}

/** The same for a fold, and what selects its rows. */
export interface FoldContext extends RowContext {
  readonly selector: Selector;
}

/** How the state of whole parts is kept, for the next question with the same filters. */
export interface KeptStates<K extends ReportName, S, T> {
  /** Names what the plan asks beyond its filters and dates; null where it cannot be kept. */
  key(plan: Plan<K>, context: FoldContext): string | null;
  /** The state in the form in which it is kept: whatever else a store learns must not change it. */
  of(state: S, pause: () => Promise<void>): T | Promise<T>;
  add(state: S, kept: T, pause: () => Promise<void>): void | Promise<void>;
  byteLength(kept: T): number;
}

/**
 * One kind of question as a fold over the rows that its plan selects: segments may be folded in any order, apart, and their states kept.
 * `R`: what is read of tables.
 */
export interface Fold<K extends ReportName, S, T = unknown, R = null> {
  readonly kind: "fold";
  /** Columns it reads of selected rows, beyond those of the filters. */
  columns(plan: Plan<K>, context: FoldContext): readonly string[];
  /** Reads tables, in the turn of the snapshot; null where something is missing. */
  read?(plan: Plan<K>, moment: TableMoment, missing: Missing): R | null;
  /** @param read null where the report reads no tables */
  begin(plan: Plan<K>, context: FoldContext, read: R): S;
  /** Folds the selected rows of one segment or head into the state. Columns are loaded. */
  scan(state: S, rows: Rows, context: FoldContext): void;
  /** The same for all rows of one segment, by who did something there: no column is read. */
  scanWho?(state: S, rows: Rows, who: Who): void;
  /** @param pause gives others a turn where the thread was held for long; what it throws ends the question */
  finish(state: S, plan: Plan<K>, context: FoldContext, pause: () => Promise<void>): Answer<K> | Promise<Answer<K>>;
  /** Absent where the answer asks more of rows than their filters and codes. */
  readonly kept?: KeptStates<K, S, T>;
  /** What is left of the state of those who pass: then filters that tell actors apart are left to its end. Only where it is of actors alone. */
  only?(state: S, passes: ActorTest): S;
  /** Whether no row of this day or an earlier one can change the answer; days come newest first. */
  isDone?(state: S, day: number): boolean;
  /** `finish` reads rows again: they stay in memory until then. */
  readonly keepsRows?: boolean;
  /** Companies are asked. */
  readonly needsCompanies?: (plan: Plan<K>) => boolean;
}

/** One kind of question that is answered from tables of all time, and from rows that these name. */
export interface Study<K extends ReportName> {
  readonly kind: "study";
  /** Names of the tables that it reads, for `explain`. */
  readonly tables: (plan: Plan<K>) => readonly string[];
  /** Companies are asked. */
  readonly needsCompanies?: (plan: Plan<K>) => boolean;
  /**
   * Begins in the turn of the snapshot: until its first `await` tables and links are those of the moment. Null where something is missing.
   * @throws aborted, by `moment.pause`
   */
  answer(plan: Plan<K>, moment: TableMoment, missing: Missing): Answer<K> | Promise<Answer<K>> | null;
}

/**
 * One kind of question that needs several passes over rows, each of rows of its own. The answer is made of what all of them found.
 * `P`: the parts by their names; `R`: what is read of tables.
 */
export interface Survey<K extends ReportName, P extends Readonly<Record<string, AnyPart>>, R = null> {
  readonly kind: "survey";
  /** Names of the tables that it reads, for `explain`. */
  readonly tables?: (plan: Plan<K>) => readonly string[];
  /** Reads tables, in the turn of the snapshot; null where something is missing. */
  read?(plan: Plan<K>, moment: TableMoment, missing: Missing): R | null;
  /** Companies are asked. */
  readonly needsCompanies?: (plan: Plan<K>) => boolean;
  /** What is to be gathered, in the turn of the snapshot. @param read null where the report reads no tables */
  parts(plan: Plan<K>, context: RowContext, read: R): P;
  /** @param pause gives others a turn where the thread was held for long; what it throws ends the question */
  finish(states: StatesOf<P>, plan: Plan<K>, context: RowContext, read: R, pause: () => Promise<void>): Answer<K> | Promise<Answer<K>>;
}

/** States, and what is read, are each report's own affair. */
export type AnyFold<K extends ReportName> = Fold<K, unknown, unknown, unknown>;

/** Parts, and what is read, are each survey's own affair. */
export type AnySurvey<K extends ReportName> = Survey<K, Readonly<Record<string, AnyPart>>, unknown>;

export type Report<K extends ReportName> = AnyFold<K> | Study<K> | AnySurvey<K>;
