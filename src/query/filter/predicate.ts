import type { CodeSet } from "../../storage/column/code-set.js";
import type { Rows } from "../../storage/segment/rows.js";
import type { Steps } from "../../core/base/yield.js";
import type { FrozenCodes } from "../../storage/column/paged-codes.js";
import type { TouchDimension, PlannedFilter, PeopleSegmentPlan } from "../plan/plan.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";
import type { CompanyView } from "../../identity/identity-view.js";
import type { Regexes } from "./regex.js";
import { assert } from "../../core/base/errors.js";
import { compileValueTest, type ValueTest } from "./value-test.js";

/**
 * A comparison compiled for rows. Codes: a row's value is the code in the first column where it is not 0, and the set of that column decides;
 * the last set decides on rows without a value.
 */
export type Predicate =
  | { readonly kind: "codes"; readonly columns: readonly string[]; readonly sets: readonly CodeSet[] }
  | { readonly kind: "constant"; readonly value: boolean }
  /** createdAt inside `[fromMs, toMs)`, or outside if negated. */
  | { readonly kind: "instant"; readonly fromMs: number; readonly toMs: number; readonly negated: boolean }
  /** Tests a row, for values without a dictionary: the event id and the text of createdAt. */
  | { readonly kind: "row"; readonly columns: readonly string[]; readonly prepare: (rows: Rows) => (row: number) => boolean };

export type ActorTest = (actor: number) => boolean;

export const ALWAYS: Predicate = { kind: "constant", value: true };
export const NEVER: Predicate = { kind: "constant", value: false };

export function codesPredicate(column: string, set: CodeSet): Predicate {
  return set.isEmpty ? NEVER : set.isAll ? ALWAYS : { kind: "codes", columns: [column], sets: [set] };
}

export function columnsOf(predicate: Predicate): readonly string[] {
  return predicate.kind === "codes" || predicate.kind === "row" ? predicate.columns : [];
}

/** Whether any row may pass according to zone maps. */
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
    // A long pattern takes milliseconds for each long text.
    perLook = nowMs - lookedMs < STEP_MS / 4 ? Math.min(perLook * 2, TESTS_PER_LOOK) : 1;
    lookedMs = nowMs;
    if (nowMs - startMs < STEP_MS || from === count) continue;
    yield;
    lookedMs = startMs = clock();
  }
  return passing;
}

/** A snapshot of one trait of all people, or of all companies. */
export class KnownValues {
  /** @param values by number, as JSON; the first means not set */
  constructor(
    readonly numbers: FrozenCodes,
    readonly values: readonly unknown[],
  ) {}

  /** The number of the value of an identity, or of a company by its code; 0 for not set. */
  numberOf(owner: number): number {
    return this.numbers.of(owner);
  }
}

export interface RowLabels {
  readonly columns: readonly string[];
  /** All labels of rows so far are below it. */
  readonly size: number;
  /** The label of a row whose columns are loaded; -1 if data must be read first, after which the query starts again. */
  of(rows: Rows): (row: number) => number;
  textOf(label: number, dimension: TouchDimension): string;
}

export interface KnownFields {
  person(path: string): KnownValues;
  company(path: string): KnownValues;
  paymentTouch(model: "first_touch" | "last_touch"): RowLabels;
}

export interface IdentityTestContext {
  readonly dictionaries: Dictionaries;
  /** Null if no condition reads companies. */
  readonly companies: CompanyView | null;
  readonly known: KnownFields;
  readonly regexes: Regexes;
}

/** Whether a comparison with a person's trait, or with the company last seen, holds for an identity. Each value is tested once. */
export function* identityTest({ operand, test, negated }: PlannedFilter, context: IdentityTestContext): Steps<(identity: number) => boolean> {
  const { known, companies, dictionaries, regexes } = context;
  const value = compileValueTest(test, regexes);
  if (operand.kind === "person") return yield* passing(known.person(operand.path), value, negated);
  assert(companies !== null, "a condition on companies was compiled without companies");
  if (operand.kind === "company") {
    const passes = yield* passing(known.company(operand.path), value, negated);
    return (identity) => passes(companies.lastCompany(identity));
  }
  assert(operand.kind === "companyId", "a condition tests a person or a company");
  const dictionary = dictionaries.named("companyId");
  const passes: (boolean | undefined)[] = [value.notSet !== negated];
  return (identity) => {
    const company = companies.lastCompany(identity);
    return (passes[company] ??= value.string(dictionary.valueOf(company)) !== negated);
  };
}

function* passing(values: KnownValues, value: ValueTest, negated: boolean): Steps<(owner: number) => boolean> {
  const table = yield* testedInSteps(values.values.length, (number) => value.json(values.values[number]) !== negated);
  return (owner) => table[values.numberOf(owner)] === 1;
}

export interface SegmentMembers {
  has(identity: number): boolean;
}

/** The members of the segments of a query; null if unknown: any event may then pass. */
export type MembersOf = ((segment: PeopleSegmentPlan) => SegmentMembers) | null;
