import { test } from "vitest";
import { baseSeed } from "../../oracle/settings.js";
import { askTwice } from "./organizations.js";

const pairCount = Number(process.env["DAYBOOK_ORGANIZATION_PAIRS"] ?? 5_000);
const LOT = 500;

test("Very many answers of one organization are the same with and without the data of another.", async () => {
  for (let asked = 0; asked < pairCount; asked += LOT) await askTwice(baseSeed + asked, Math.min(LOT, pairCount - asked));
});
