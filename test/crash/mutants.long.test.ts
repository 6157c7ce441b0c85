import { describe, expect, test } from "vitest";
import { baseSeed } from "../oracle/settings.js";
import { checkImages } from "./crash-images.js";
import { checkIoErrors } from "./io-errors.js";
import { crashMutants, errorMutants } from "./mutants.js";

/** Far more than it takes: machines are busy at times. */
const TIMEOUT_MS = 300_000;

/** By then each must have been noticed. */
const IMAGE_COUNT_MAX = 1_500;
const ERROR_COUNT_MAX = 1_500;

/** What was found wrong; fails where nothing was, or where it is the mutant that does not work. */
async function findingOf(check: Promise<unknown>): Promise<string> {
  const finding = await check.then(() => "nothing", (error: Error) => error.message);
  expect(finding).not.toBe("nothing");
  expect(finding).not.toMatch(/TypeError|foreign|not a function|undefined/);
  return finding;
}

describe(`a crash shows (seed ${baseSeed})`, () => {
  for (const { name, durability, wrap } of crashMutants)
    test(name, async () => {
      await findingOf(checkImages(baseSeed, IMAGE_COUNT_MAX, durability, wrap));
    }, TIMEOUT_MS);
});

describe(`a failing disk shows (seed ${baseSeed})`, () => {
  for (const mutant of errorMutants)
    test(mutant.name, async () => {
      await findingOf(checkIoErrors(baseSeed, ERROR_COUNT_MAX, mutant));
    }, TIMEOUT_MS);
});
