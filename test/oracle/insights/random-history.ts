import type { EventInput } from "daybook";
import { seededRandom, type Random } from "daybook/testing";
import { oracle, type HistoryItem } from "../../support/index.js";
import type { InsightInput } from "../../../src/query/plan/input.js";
import { baseSeed, caseCount } from "../settings.js";
import type { Case } from "./laws/law.js";

/** Within these days Berlin puts its clocks forward. */
const firstMs = Date.parse("2026-03-27T00:00Z");
export const nowMs = Date.parse("2026-03-31T12:00Z");
const MINUTE_MS = 60_000;
export const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia"];
export const names = ["a", "b", "c", "Pageview"];

/** The default suite runs one in so many cases, the long one all of them. */
const QUICK_SHARE = 3;

/** Checks something of the oracle's answers about many small histories. @throws an error with the seed */
export async function ofHistories(count: number, check: (given: Case) => Promise<void>): Promise<void> {
  for (let index = 0; index < caseCount(Math.ceil(count / QUICK_SHARE), count); index += 1) {
    const random = seededRandom(baseSeed + index);
    try {
      const history = smallHistory(random);
      const asked = oracle(history, { nowMs });
      await check({ random, history, asked, askedOf: async (other) => oracle(other, { nowMs }) });
    } catch (error) {
      throw new Error(`With the seed ${baseSeed + index}: ${String(error)}`, { cause: error });
    }
  }
}

/** Few values in few days, ties, people who become known, companies, and money. */
export function smallHistory(random: Random): HistoryItem[] {
  const tieShare = random.pick([0.1, 0.5]);
  const times: number[] = [];
  return Array.from({ length: random.between(1, 25) }, () => {
    const createdAt = times.length > 0 && random.chance(tieShare) ? random.pick(times) : firstMs + random.below(5 * 24 * 3) * 20 * MINUTE_MS + random.pick([0, 0, 1]);
    times.push(createdAt);
    return random.chance(0.12) ? record(random, createdAt) : anEvent(random, createdAt);
  });
}

/** A query's zone, dates and filters. */
export function randomScope(random: Random): InsightInput {
  const day = () => `2026-03-${random.between(27, 31)}`;
  const [one, other] = [day(), day()].sort();
  return {
    timeZone: random.pick(zones),
    weekStart: random.pick(["monday", "sunday"]),
    ...(random.chance(0.5) ? { startDate: one } : {}),
    ...(random.chance(0.5) ? { endDate: other } : {}),
    ...(random.chance(0.2) ? { eventName: random.pick(names) } : {}),
    ...(random.chance(0.3) ? { filterGroups: [{ filters: [randomFilter(random)] }] } : {}),
    ...(random.chance(0.3) ? { project: random.pick(["default", "shop"]) } : {}),
  };
}

export function randomFilter(random: Random) {
  return random.pick([
    { fieldName: "path", operator: "=", value: "/a" }, { fieldName: "x", operator: ">", value: "0" }, { fieldName: "person.plan", operator: "=", value: "pro" },
    { fieldName: "last_touch.source", operator: "!=", value: "news" }, { fieldName: "device", operator: "is_set" }, { fieldName: "user_id", operator: "in", value: "ann,bob" },
  ]);
}

function anEvent(random: Random, createdAt: number): EventInput {
  const who = random.pick([{ userId: random.pick(["ann", "bob", "carl"]) }, { userId: "ann" }, { anonymousId: random.pick(["d1", "d2"]) }, { userId: "ann", anonymousId: "d1" }, random.chance(0.3) ? {} : { userId: "bob" }]);
  const x = random.pick<unknown>([1, 2.5, -3, 0.1, "0.2", "abc", true, null, 1e300, 7]);
  return {
    id: uuid(random), name: random.pick(names), createdAt, project: random.pick(["default", "default", "shop"]), ...who,
    url: random.pick(["/a", "/b", "/a?utm_source=news", null]), device: random.pick(["m", "d", null]), metadata: { x, tags: random.pick([["p", "q"], ["p"], "q", null]) } as EventInput["metadata"] & object,
    ...(random.chance(0.1) ? { companyId: random.pick(["acme", "beta"]) } : {}),
    ...(random.chance(0.2) ? { value: random.pick([5, 0.25, -5, 0]), externalId: random.pick(["o1", "o2", null]), currency: random.pick([null, null, "EUR"]) } : {}),
  };
}

function record(random: Random, createdAt: number): HistoryItem {
  const userId = random.pick(["ann", "bob", "carl"]);
  const traits = { plan: random.pick(["pro", "free", null]) };
  return random.pick<() => HistoryItem>([
    () => ({ identify: { id: uuid(random), createdAt, userId, traits, ...(random.chance(0.5) ? { anonymousId: random.pick(["d1", "d2"]) } : {}) } }),
    () => ({ group: { id: uuid(random), createdAt, userId, companyId: random.pick(["acme", "beta"]), traits } }),
    () => ({ alias: { id: uuid(random), createdAt, from: userId, to: random.pick(["ann", "bob"]) } }),
  ])();
}

function uuid(random: Random): string {
  const digits = () => random.below(2 ** 24).toString(16).padStart(6, "0");
  return `00000000-0000-4000-8000-${digits()}${digits()}`;
}
