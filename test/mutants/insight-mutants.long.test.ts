import { describe, expect, test } from "vitest";
import { insightMutants } from "./insight-mutants.js";
import { TIMEOUT_MS, verdicts } from "./verdict.js";

const verdict = verdicts("insight-program.ts");
const reports = [...new Set(insightMutants.map(({ report }) => report))];

test.each(reports)("The source itself passes: %s.", { timeout: TIMEOUT_MS * 2 }, async (report) => {
  expect(await verdict(null, [report])).toBe("not noticed");
});

describe.concurrent("The questions of the long suite notice what", () => {
  test.each(insightMutants.map((mutant) => [mutant.report, mutant.file.slice("src/".length), mutant.forgets, mutant] as const))(
    "%s of %s answers where it forgets %s",
    { timeout: TIMEOUT_MS * 2 },
    async (report, _file, _forgets, mutant) => {
      expect(await verdict(mutant, [report])).toBe("noticed");
    },
  );
});
