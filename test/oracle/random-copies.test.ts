import { expect, test } from "vitest";
import { checkCopy, copyDifference, type Mutant } from "./copy-case.js";
import { baseSeed, caseCount } from "./settings.js";

const parts = [1, 2, 3];

test.each(parts)("Every answer of a copy is the original's, byte for byte, and so is its export: histories with records, erasures and empty projects, part %i.", async (part) => {
  const historyCount = Math.ceil(caseCount(6, 30) / parts.length);
  expect(historyCount).toBeGreaterThan(0);
  for (let index = 0; index < historyCount; index += 1) await checkCopy(baseSeed + (part - 1) * historyCount + index);
});

const without = (name: string): Mutant => ({ [name]: _, ...rest }) => rest;
const ofType = (type: string, change: Mutant): Mutant => (line) => (line["type"] === type ? change(line) : line);

// An answer tells of each: a test that could not would be worth nothing.
test.each<[lost: string, told: number, mutant: Mutant]>([
  ["all that identify told", 3, ofType("identify", () => null)],
  ["memberships", 0, ofType("group", () => null)],
  ["aliases", 1, ofType("alias", () => null)],
  ["what was taken back", 1, ofType("unlink", () => null)],
  ["projects", 1, ofType("project", () => null)],
  ["times of links", 6, ofType("identify", without("createdAt"))],
  ["times of memberships", 11, ofType("group", without("createdAt"))],
  ["emails", 14, ofType("identify", without("email"))],
  ["traits of people", 6, ofType("identify", without("traits"))],
  ["traits of companies", 0, ofType("group", without("traits"))],
  ["devices", 3, ofType("identify", without("anonymousId"))],
  ["ids of records", 1, (line) => (line["type"] === undefined ? line : without("id")(line))],
])("A copy that lost %s answers otherwise.", async (_, told, mutant) => {
  // With another seed, or other random histories, another one may be the first to tell.
  for (let index = -1; index < 400; index += 1) if ((await copyDifference(baseSeed + (index === -1 ? told : index), mutant)) !== null) return;
  throw new Error("no answer of 400 histories told of it");
});
