import type { CodeSet } from "../column/code-set.js";
import type { Rows } from "../segment/rows.js";

/**
 * A comparison made ready for rows. Codes: a row's value is the code of the first column in which it is not 0, and the
 * set at that place decides; the last set decides about rows that have no value at all.
 */
export type Predicate =
  | { readonly kind: "codes"; readonly columns: readonly string[]; readonly sets: readonly CodeSet[] }
  | { readonly kind: "constant"; readonly value: boolean }
  /** createdAt in `[fromMs, toMs)`, or outside of it. */
  | { readonly kind: "instant"; readonly fromMs: number; readonly toMs: number; readonly negated: boolean }
  /** A test of the row itself, for the values that no dictionary holds: event id and the text of createdAt. */
  | { readonly kind: "row"; readonly columns: readonly string[]; readonly prepare: (rows: Rows) => (row: number) => boolean };

/** Whether an actor, who is somebody, passes. */
export type ActorTest = (actor: number) => boolean;

export const ALWAYS: Predicate = { kind: "constant", value: true };
export const NEVER: Predicate = { kind: "constant", value: false };

/** Codes of one column. */
export function codesPredicate(column: string, set: CodeSet): Predicate {
  return set.isEmpty ? NEVER : set.isAll ? ALWAYS : { kind: "codes", columns: [column], sets: [set] };
}

/** AND of `all`, and of the OR of `any`'s groups where there are any. */
export interface Selector {
  readonly all: readonly Predicate[];
  readonly any: readonly (readonly Predicate[])[];
  readonly fromMs: number;
  readonly toMs: number;
  /**
   * Names what the filters ask, dates apart: whatever a sealed segment answered to it once, it will answer again. `""`
   * without filters; null where the answer depends on who is who.
   */
  readonly key: string | null;
  /** Whose rows are meant among the selected ones, where that is left to the end; null: all of them. */
  readonly whose: ActorTest | null;
  /** Columns that selecting may read, times and ids apart. */
  readonly columns: readonly string[];
  /** Dictionary values that were tested to make it. */
  readonly testedValueCount: number;
}

/** Columns that a predicate reads. */
export function columnsOf(predicate: Predicate): readonly string[] {
  return predicate.kind === "codes" || predicate.kind === "row" ? predicate.columns : [];
}

/** Whether some row may pass, judged by the zone maps alone. */
export function mayMatch(predicate: Predicate, rows: Rows): boolean {
  if (predicate.kind === "constant") return predicate.value;
  if (predicate.kind !== "codes") return true;
  const last = predicate.columns.length - 1;
  return predicate.columns.some((column, place) => {
    const zone = rows.zone(column);
    const set = predicate.sets[place];
    if (set === undefined) return false;
    if (zone === null) return place === last && set.has(0);
    return set.mayMatch(zone.min, zone.max, place === last && zone.hasZero);
  });
}
