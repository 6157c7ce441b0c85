import { expect, test } from "vitest";
import { numberOf } from "../../../src/query/plan/filters/number-form.js";

test.each([
  ["0", 0], ["-0", -0], ["3", 3], ["3.0", 3], ["-1.5", -1.5], ["1e3", 1000], ["1E+3", 1000], ["2.5e-1", 0.25],
  ["1e21", 1e21], ["9007199254740993", 9007199254740992],
])("%s is the number %d", (text, value) => {
  expect(numberOf(text)).toBe(value);
});

test.each(["", " 3", "3 ", "+3", "03", "-01", ".5", "5.", "0x10", "1_000", "1,000", "NaN", "Infinity", "1e", "1e999", "-1e999",
  "3\n", "٣", "true", "null"])("%j is no number", (text) => {
  expect(numberOf(text)).toBeNull();
});
