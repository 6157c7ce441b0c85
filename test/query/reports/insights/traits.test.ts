import { expect, test } from "vitest";
import { baseSeed, caseCount } from "../../../oracle/settings.js";
import { traitDifference, TRAIT_HISTORY_COUNT } from "./trait-case.js";

test("What is known of people and companies follows them, whenever it is asked while records and links come in.", async () => {
  for (let at = 0; at < caseCount(8, TRAIT_HISTORY_COUNT); at += 1) expect([baseSeed + at, await traitDifference(baseSeed + at)]).toEqual([baseSeed + at, null]);
});
