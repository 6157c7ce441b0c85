import { expect, test } from "vitest";
import { checkCopy, copyDifference, type Mutant } from "./copy-case.js";
import { baseSeed, caseCount } from "./settings.js";

const parts = [1, 2, 3];

test.each(parts)("Every answer of a copy is the original's, byte for byte, and so is its export: histories with records, erasures and empty projects, part %i.", async (part) => {
  const historyCount = Math.ceil(caseCount(15, 30) / parts.length);
  expect(historyCount).toBeGreaterThan(0);
  for (let index = 0; index < historyCount; index += 1) await checkCopy(baseSeed + (part - 1) * historyCount + index);
});

const without = (name: string): Mutant => ({ [name]: _, ...rest }) => rest;
const ofType = (type: string, change: Mutant): Mutant => (line) => (line["type"] === type ? change(line) : line);

// An answer tells of each: a test that could not would be worth nothing.
test.each<[lost: string, mutant: Mutant]>([
  ["all that identify told", ofType("identify", () => null)],
  ["memberships", ofType("group", () => null)],
  ["aliases", ofType("alias", () => null)],
  ["what was taken back", ofType("unlink", () => null)],
  ["projects", ofType("project", () => null)],
  ["times of links", ofType("identify", without("createdAt"))],
  ["times of memberships", ofType("group", without("createdAt"))],
  ["emails", ofType("identify", without("email"))],
  ["traits of people", ofType("identify", without("traits"))],
  ["traits of companies", ofType("group", without("traits"))],
  ["devices", ofType("identify", without("anonymousId"))],
  ["ids of records", (line) => (line["type"] === undefined ? line : without("id")(line))],
])("A copy that lost %s answers otherwise.", async (_, mutant) => {
  for (let index = 0; index < 400; index += 1) if ((await copyDifference(baseSeed + index, mutant)) !== null) return;
  throw new Error("no answer of 400 histories told of it");
});
