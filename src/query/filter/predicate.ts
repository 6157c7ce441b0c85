import type { CodeSet } from "../../storage/column/code-set.js";
import type { Rows } from "../../storage/segment/rows.js";
import type { Steps } from "../../core/base/steps.js";

/**
 * A comparison compiled for rows. Codes: a row's value is the code in the first column where it is not 0, and the set of that column decides;
 * the last set decides on rows without a value.
 */
export type Predicate =
  | { readonly kind: "codes"; readonly columns: readonly string[]; readonly sets: readonly CodeSet[] }
  | { readonly kind: "constant"; readonly value: boolean }
  /** createdAt inside `[fromMs, toMs)`, or outside if negated. */
  | { readonly kind: "instant"; readonly fromMs: number; readonly toMs: number; readonly negated: boolean }
  /** A test of the row itself, for values without a dictionary: event id, and the text of createdAt. */
  | { readonly kind: "row"; readonly columns: readonly string[]; readonly prepare: (rows: Rows) => (row: number) => boolean };

/** Whether an actor passes; it must be an existing one. */
export type ActorTest = (actor: number) => boolean;

export const ALWAYS: Predicate = { kind: "constant", value: true };
export const NEVER: Predicate = { kind: "constant", value: false };

/** A predicate on the codes of one column. */
export function codesPredicate(column: string, set: CodeSet): Predicate {
  return set.isEmpty ? NEVER : set.isAll ? ALWAYS : { kind: "codes", columns: [column], sets: [set] };
}

/** AND of `all`, and of the OR of the groups of `any` if there are any. */
export interface Selector {
  readonly all: readonly Predicate[];
  readonly any: readonly (readonly Predicate[])[];
  readonly fromMs: number;
  readonly toMs: number;
  /**
   * Identifies the filters, without dates: a sealed segment's result for it never changes. `""` without filters; null if the result depends
   * on identities.
   */
  readonly key: string | null;
  /** The actors whose rows count among the selected ones, if that is tested last; null: all of them. */
  readonly whose: ActorTest | null;
  /** Columns that selecting may read, without times and ids. */
  readonly columns: readonly string[];
  /** Number of dictionary values tested to compile it. */
  readonly testedValueCount: number;
}

export function columnsOf(predicate: Predicate): readonly string[] {
  return predicate.kind === "codes" || predicate.kind === "row" ? predicate.columns : [];
}

/** Whether any row may pass, judged by zone maps alone. */
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

const STEP_MS = 2;
/** Most tests between two reads of the clock. */
const TESTS_PER_LOOK = 8;

/** Runs a test for each index below `count`: 1 if it passes. A step tests for two milliseconds, or at least once. */
export function* testedInSteps(count: number, test: (place: number) => boolean, clock: () => number = () => performance.now()): Steps<Uint8Array> {
  const passing = new Uint8Array(count);
  let startMs = clock();
  let lookedMs = startMs;
  let perLook = 1;
  for (let from = 0; from < count; ) {
    const to = Math.min(from + perLook, count);
    for (let place = from; place < to; place += 1) passing[place] = test(place) ? 1 : 0;
    from = to;
    const nowMs = clock();
    // Testing long texts with long patterns takes milliseconds each.
    perLook = nowMs - lookedMs < STEP_MS / 4 ? Math.min(perLook * 2, TESTS_PER_LOOK) : 1;
    lookedMs = nowMs;
    if (nowMs - startMs < STEP_MS || from === count) continue;
    yield;
    lookedMs = startMs = clock();
  }
  return passing;
}
