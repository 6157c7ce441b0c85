import type { Random } from "daybook/testing";
import type { HistoryItem } from "../../../support/index.js";
import { test } from "vitest";
import type { Known } from "../../../support/random/insight-queries.js";
import { caseCount } from "../../../oracle/settings.js";
import { checkStories, type Asked, type Story } from "./visits-case.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const START_MS = Date.UTC(2026, 0, 5, 20);
const DAY_MS = 24 * HOUR_MS;

/** People who hardly ever pause, whose sessions are cut because of their length: where, an event that comes late may change of all those behind it. */
function cuts(random: Random): Story {
  const maxMs = random.pick([35, 70, 100]) * MINUTE_MS;
  const isLinked = random.chance(0.3);
  const visits = ["ann", "ben"].flatMap((userId) => {
    const items: HistoryItem[] = [];
    let atMs = START_MS + random.between(0, 30) * MINUTE_MS;
    while (items.length < 40) {
      const who = isLinked ? random.pick([{ userId }, { anonymousId: `${userId}'s phone` }, { userId, anonymousId: `${userId}'s phone` }]) : { userId };
      const project = random.chance(0.1) ? "blog" : "shop";
      items.push({ id: `${userId} ${items.length}`, name: "pageview", project, createdAt: atMs, url: `https://a.example/${random.between(0, 2)}`, ...who });
      atMs += random.pick([0, 5, 10, 15, 15, 20, 25, 30, 30, 31]) * MINUTE_MS;
    }
    return items;
  });
  const lateShare = random.pick([0.1, 0.3]);
  const order = visits.map((item, at) => ({ item, at: random.chance(lateShare) ? random.between(at, at + 60) : at })).sort((a, b) => a.at - b.at);
  return { options: { nowMs: START_MS + 9 * DAY_MS, session: { gapMs: 30 * MINUTE_MS, maxMs } }, history: order.map(({ item }) => item), query };
}

function query({ random }: Known): Asked {
  const report = random.pick(["sessionsOverview", "sessionsOverview", "paths"] as const);
  if (report === "paths") return { report, input: {} };
  return { report, input: { interval: random.pick(["total", "hour"]) } };
}

test("Sessions that are cut because of their length are those of the oracle, whatever comes late.", async () => {
  await checkStories(cuts, caseCount(20, 400));
}, 600_000);
