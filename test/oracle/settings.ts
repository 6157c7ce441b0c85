/** The seed of all random tests: `DAYBOOK_SEED`, else a fixed one, so that a run can be repeated. */
export const baseSeed = Number(process.env["DAYBOOK_SEED"] ?? 20_260_301);

/** How many random cases a test runs: `DAYBOOK_CASES`, else what the test can afford by default. */
export function caseCount(byDefault: number): number {
  return Number(process.env["DAYBOOK_CASES"] ?? byDefault);
}

export { nowMs } from "../../src/testing/random/now.js";
