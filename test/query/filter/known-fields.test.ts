import { expect, test } from "vitest";
import { useLimits } from "../../limits.js";
import { baseSeed, caseCount } from "../../oracle/settings.js";
import { checkKnown } from "../reports/known-case.js";
import { traitFields } from "../reports/known-queries.js";

useLimits({ headPartRowCount: 6, placesSortedAtOnce: 2, placedTouchCount: 3 });

const parts = [1, 2, 3];

test.each(parts)("Old queries take traits of people and companies as filters and as fields, as the oracle does: part %i.", async (part) => {
  const historyCount = Math.ceil(caseCount(15, 300) / parts.length);
  expect(historyCount).toBeGreaterThan(0);
  for (let index = 0; index < historyCount; index += 1) await checkKnown(baseSeed + (part - 1) * historyCount + index, traitFields, ["person.plan", "person.a.b", "company.plan", "company.a.b", "person.email"]);
});

const touchFields = ["first_touch", "last_touch"].flatMap((model) => ["source", "medium", "campaign"].map((dimension) => `${model}.${dimension}`));

test.each(parts)("They take who brought people, as attribution would tell of a payment in each event, as the oracle does: part %i.", async (part) => {
  const historyCount = Math.ceil(caseCount(15, 300) / parts.length);
  for (let index = 0; index < historyCount; index += 1) await checkKnown(baseSeed + (part - 1) * historyCount + index, [...touchFields, "person.plan"], touchFields);
});
