import { assert } from "../../core/base/assert.js";
import type { Steps } from "../../core/base/steps.js";
import type { PlannedFilter } from "../plan/plan.js";
import type { FilterContext } from "./compile.js";
import type { KnownValues } from "./known-fields.js";
import { testedInSteps } from "./tested-in-steps.js";
import { compileValueTest, type ValueTest } from "./value-test.js";

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
