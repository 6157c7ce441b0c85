import { expect, test } from "vitest";
import { baseSeed, caseCount } from "../oracle/settings.js";
import { checkIoErrors } from "./io-errors.js";

/** Another test of the long suite has many more. */
const count = caseCount(10, 40);

test(`A disk that fails at any operation, once or for a while, loses nothing that was answered for and ends in errors with a name (seed ${baseSeed}, ${count} failures).`, async () => {
  expect(await checkIoErrors(baseSeed, count)).toBe(count);
}, 300_000);
