import { expect, test } from "vitest";
import { LIVE_HISTORY_COUNTS, checkLiveHistory } from "./live-case.js";
import { baseSeed, caseCount } from "./settings.js";

test.each(["small", "big"] as const)(
  "A Daybook that lives on answers as one that is opened now, over links, late events, memberships, payments, seals and erasures, with a %s memory budget.",
  async (budget) => {
    const historyCount = caseCount(LIVE_HISTORY_COUNTS[budget]);
    expect(historyCount).toBeGreaterThan(0);
    for (let index = 0; index < historyCount; index += 1) await checkLiveHistory(baseSeed + index, budget);
  },
);
