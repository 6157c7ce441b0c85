import { assert } from "../base/assert.js";
import type { Comparison } from "../plan/plan.js";
import type { FilterContext } from "./compile.js";
import type { KnownValues } from "./known-fields.js";
import { compileValueTest, type ValueTest } from "./value-test.js";

type Context = Pick<FilterContext, "dictionaries" | "companies" | "known" | "regexes">;

/** Whether a comparison of a person's trait, or of the company that somebody was last seen with, holds for an identity. Each value is tested once. */
export function identityTest({ operand, test, negated }: Comparison, context: Context): (identity: number) => boolean {
  const { known, companies, dictionaries, regexes } = context;
  const value = compileValueTest(test, regexes);
  if (operand.kind === "person") return passing(known.person(operand.path), value, negated);
  assert(companies !== null, "a condition of companies was compiled without them");
  if (operand.kind === "company") {
    const passes = passing(known.company(operand.path), value, negated);
    return (identity) => passes(companies.lastCompany(identity));
  }
  assert(operand.kind === "companyId", "a condition is of a person, or of a company");
  const dictionary = dictionaries.named("companyId");
  const passes: (boolean | undefined)[] = [value.notSet !== negated];
  return (identity) => {
    const company = companies.lastCompany(identity);
    return (passes[company] ??= value.string(dictionary.valueOf(company)) !== negated);
  };
}

function passing(values: KnownValues, value: ValueTest, negated: boolean): (owner: number) => boolean {
  const table = values.passing((known) => value.json(known) !== negated);
  return (owner) => table[values.numberOf(owner)] === 1;
}
