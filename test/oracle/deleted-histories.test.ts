import { expect, test } from "vitest";
import { checkLiveHistory } from "./live-case.js";
import { baseSeed, caseCount } from "./settings.js";

const HISTORY_COUNTS = { big: 8, small: 4 } as const;

test.each(["small", "big"] as const)(
  "After deletions of events and projects, and sweeps, a Daybook answers as if these had never come, over links, late events, seals and erasures, with a %s memory budget.",
  async (budget) => {
    const historyCount = caseCount(HISTORY_COUNTS[budget]);
    expect(historyCount).toBeGreaterThan(0);
    for (let index = 0; index < historyCount; index += 1) await checkLiveHistory(baseSeed + 7_000_000 + index, budget, 0.15);
  },
);
