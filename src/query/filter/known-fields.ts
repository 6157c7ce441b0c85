import type { FrozenCodes } from "../../storage/column/paged-codes.js";
import type { TouchDimension, PlannedFilter } from "../plan/plan.js";
import type { Rows } from "../../storage/segment/rows.js";
import { assert } from "../../core/base/assert.js";
import type { Steps } from "../../core/base/steps.js";
import type { FilterContext } from "./compile.js";
import { testedInSteps } from "./predicate.js";
import { compileValueTest, type ValueTest } from "./value-test.js";
import type { SegmentPlan } from "../plan/insights/plan.js";

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

/** The attribution of the people of single rows. */
export interface RowLabels {
  /** Columns that must be loaded. */
  readonly columns: readonly string[];
  /** All labels of rows so far are below it. */
  readonly size: number;
  /** The label of a row whose columns are loaded; -1 if data must be read first, after which the query starts again. */
  of(rows: Rows): (row: number) => number;
  textOf(label: number, dimension: TouchDimension): string;
}

/** A snapshot of the fields of people, companies and attribution that a query names. */
export interface KnownFields {
  person(path: string): KnownValues;
  company(path: string): KnownValues;
  paymentTouch(model: "first_touch" | "last_touch"): RowLabels;
}

type IdentityTestContext = Pick<FilterContext, "dictionaries" | "companies" | "known" | "regexes">;

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

/** The members of a segment in the snapshot of a query. */
export interface SegmentMembers {
  has(identity: number): boolean;
}

/** The members of the segments of a query; null if unknown: any event may then pass. */
export type MembersOf = ((segment: SegmentPlan) => SegmentMembers) | null;
