import { test } from "vitest";
import { baseSeed, longCount } from "../../oracle/settings.js";
import { askTwice } from "./organizations.js";

const pairCount = longCount(5_000, "DAYBOOK_ORGANIZATION_PAIRS");
const LOT = 500;

test("Very many answers of one organization are the same with and without the data of another.", async () => {
  for (let asked = 0; asked < pairCount; asked += LOT) await askTwice(baseSeed + asked, Math.min(LOT, pairCount - asked));
});
