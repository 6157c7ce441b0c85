import { expect, test } from "vitest";
import { checkScope } from "./scope-case.js";
import { baseSeed } from "./settings.js";

test("A scope answers as a store made of its events and all records.", async () => {
  let queryCount = 0;
  for (let index = 0; index < 12; index += 1) queryCount += await checkScope(baseSeed + 7_000_000 + index);
  expect(queryCount).toBeGreaterThan(100);
});
