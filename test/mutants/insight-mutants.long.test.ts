import { describe, expect, test } from "vitest";
import { insightMutants } from "./insight-mutants.js";
import { knownHistories, TIMEOUT_MS, verdictOf, verdictOnMutant } from "./verdict.js";

const PROGRAM = "insight-program.ts";
const reports = [...new Set(insightMutants.map(({ report }) => report))];

test.each(reports)("The source itself passes where mutants do not: %s.", { timeout: TIMEOUT_MS * 2 }, async (report) => {
  const histories = knownHistories(insightMutants.filter((mutant) => mutant.report === report));
  expect(await verdictOf(PROGRAM, null, [0, ...histories], [report])).toBe("nowhere");
});

describe.concurrent("Random queries notice what", () => {
  test.each(insightMutants.map((mutant) => [mutant.report, mutant.symbol, mutant.forgets, mutant] as const))(
    "%s of %s answers where it forgets %s",
    { timeout: TIMEOUT_MS * 2 },
    async (report, _symbol, _forgets, mutant) => {
      expect(await verdictOnMutant(PROGRAM, mutant, [report])).toBeTypeOf("number");
    },
  );
});
