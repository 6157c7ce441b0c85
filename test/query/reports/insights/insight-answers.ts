import { DaybookError, type Daybook } from "daybook";
import type { Oracle } from "../../../support/index.js";
import type { InsightQuery } from "../../../support/random/insight-queries.js";

/** What a query deserves: its answer without `definition` and `asOf`, or its refusal. */
export type Outcome = { readonly answer: unknown } | { readonly error: string; readonly param: string };

/** The answer that a Daybook owes, or how it must refuse. */
export function expectedOutcome(expected: Oracle, { report, input }: InsightQuery): Outcome {
  try {
    return { answer: expected[report](input as never) };
  } catch (error) {
    return refusalOf(error);
  }
}

/** The outcome of a query by a Daybook. @param owed what it is to tell as `asOf` @throws where `definition` or `asOf` is not as it should be */
export async function insightOutcome(daybook: Daybook, { report, input }: InsightQuery, owed: number | null = null): Promise<Outcome> {
  try {
    const { definition, asOf, ...answer } = await daybook[report](input as never);
    if (!/^def_[0-9a-f]{32}$/.test(definition)) throw new Error(`expected def_ and 32 digits as definition, got ${definition}`);
    if (asOf !== owed) throw new Error(`expected ${String(owed)} as asOf, got ${String(asOf)}`);
    return { answer };
  } catch (error) {
    return refusalOf(error);
  }
}

/** The oracle calls members by the last part of their paths. */
export function asExpected(actual: Outcome, expected: Outcome): Outcome {
  const isSameParam = "error" in expected && "error" in actual && actual.param.split(".").at(-1) === expected.param.split(".").at(-1);
  return isSameParam ? { ...actual, param: expected.param } : actual;
}

/** @throws what no query deserves */
function refusalOf(error: unknown): Outcome {
  if (error instanceof DaybookError && error.code !== "internal" && error.code !== "corruption") return { error: error.code, param: error.details.param ?? "" };
  throw error;
}
