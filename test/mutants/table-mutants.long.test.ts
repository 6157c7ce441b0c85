import { describe, expect, test } from "vitest";
import { tableMutants } from "./table-mutants.js";
import { TIMEOUT_MS, verdicts } from "./verdict.js";

const verdict = verdicts("live-program.ts");

test("The source itself passes.", async () => {
  expect(await verdict(null, [])).toBe("not noticed");
});

describe.concurrent("Live histories notice what", () => {
  test.each(tableMutants.map((mutant) => [mutant.file.slice("src/".length), mutant.forgets, mutant] as const))(
    "%s does where it forgets %s",
    { timeout: TIMEOUT_MS * 2 },
    async (_file, _forgets, mutant) => {
      expect(await verdict(mutant, [])).not.toBe("not noticed");
    },
  );
});
