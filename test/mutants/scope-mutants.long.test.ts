import { describe, expect, test } from "vitest";
import { scopeMutants } from "./scope-mutants.js";
import { knownHistories, TIMEOUT_MS, verdictOf, verdictOnMutant } from "./verdict.js";

const PROGRAM = "scope-program.ts";

test("The source itself passes where mutants do not.", { timeout: TIMEOUT_MS * 2 }, async () => {
  expect(await verdictOf(PROGRAM, null, [0, ...knownHistories(scopeMutants)])).toBe("nowhere");
});

describe.concurrent("Scopes of random histories notice what", () => {
  test.each(scopeMutants.map((mutant) => [mutant.symbol, mutant.forgets, mutant] as const))(
    "%s does where it forgets %s",
    { timeout: TIMEOUT_MS * 2 },
    async (_symbol, _forgets, mutant) => {
      expect(await verdictOnMutant(PROGRAM, mutant)).not.toBe("nowhere");
    },
  );
});
