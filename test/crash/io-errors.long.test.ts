import { expect, test } from "vitest";
import { baseSeed, longCount } from "../oracle/settings.js";
import { checkIoErrors } from "./io-errors.js";

const count = longCount(5_000, "DAYBOOK_IO_ERRORS");

test(`A disk that fails at any operation, once or for a while, loses nothing that was answered for and ends in errors with a name (seed ${baseSeed}, ${count} failures).`, async () => {
  // Other lives than those of the default suite.
  expect(await checkIoErrors(baseSeed + 1_000, count)).toBe(count);
});
