/** The seed of all random tests: `DAYBOOK_SEED`, else a fixed one, so that a run can be repeated. */
export const baseSeed = Number(process.env["DAYBOOK_SEED"] ?? 20_260_301);

/**
 * How many random cases a test runs: `DAYBOOK_CASES`, else what the default suite can afford.
 * @param thorough where the long suite runs the test again, with `DAYBOOK_THOROUGH`
 */
export function caseCount(byDefault: number, thorough = byDefault): number {
  return Number(process.env["DAYBOOK_CASES"] ?? strideOf(byDefault, thorough));
}

/**
 * How many random cases a test of the long suite runs: one in so many of them, or all where that is asked (`npm run test:exhaustive`).
 * @param variable of the environment, which says another number
 */
export function longCount(all: number, variable = "DAYBOOK_CASES", stride = 8): number {
  return Number(process.env[variable] ?? Math.ceil(all / longStride(stride)));
}

/** Of places in a row a test tries one in so many. @param thorough as of `caseCount` */
export function strideOf(byDefault: number, thorough: number): number {
  return process.env["DAYBOOK_THOROUGH"] === "1" ? thorough : byDefault;
}

/** Of places in a row a test of the long suite tries one in so many, or each where that is asked (`npm run test:exhaustive`). */
export function longStride(stride: number): number {
  return process.env["DAYBOOK_EXHAUSTIVE"] === "1" ? 1 : stride;
}

/** Rows of a table of tests: in the default suite one in so many, the first among them. */
export function sliceOf<T>(rows: readonly T[], stride: number): T[] {
  return rows.filter((_, at) => at % strideOf(stride, 1) === 0);
}

export { nowMs } from "../support/random/now.js";
