import { fixedClock, openDaybook, type Daybook, type QueryStats } from "daybook";
import { expect, test } from "vitest";
import { runYielding } from "../../../../src/core/base/yield.js";
import { RecordingStorage } from "../../../store/recording-storage.js";
import { joinedActivity, pairOf, type Activity } from "../../../../src/query/reports/companies/company-activity.js";

const PAIR_COUNT = 70_000;

/** Pairs of many users, of whom every third has a company. */
function activityOf(firstUser: number, eventCount: number): Activity {
  const actors = Uint32Array.from({ length: PAIR_COUNT }, (_, at) => (firstUser + at) * 2);
  return {
    actors, companies: actors.map((who) => (who % 3 === 0 ? 1 + (who % 50) : 0)),
    eventCounts: new Uint32Array(PAIR_COUNT).fill(eventCount), newestMs: new Float64Array(PAIR_COUNT).fill(eventCount),
  };
}

/** Events by pair. */
function countsOf({ actors, companies, eventCounts }: Activity): Map<number, number> {
  return new Map(Array.from(actors, (who, at): [number, number] => [pairOf(who, companies[at] ?? 0), eventCounts[at] ?? 0]).sort(([a], [b]) => a - b));
}

const halves = () => joinedActivity([activityOf(1, 1), activityOf(1 + PAIR_COUNT / 2, 2)]);

test("Pairs of several days are added up some ten thousand at a time, and those of another query meanwhile do not mix with them.", async () => {
  let pauseCount = 0;
  const others: Activity[] = [];
  const pause = async () => {
    pauseCount += 1;
    if (pauseCount === 2) others.push(await runYielding(joinedActivity([activityOf(5, 7), activityOf(90, 7)]), () => Promise.resolve()));
  };
  const whole = await runYielding(halves(), () => Promise.resolve());
  const interrupted = await runYielding(halves(), pause);
  expect(pauseCount).toBeGreaterThanOrEqual((2 * PAIR_COUNT + 1.5 * PAIR_COUNT) / 32_768);
  expect(countsOf(interrupted)).toEqual(countsOf(whole));
  expect(countsOf(interrupted).size).toBe(PAIR_COUNT * 1.5);
  expect(Array.from(countsOf(interrupted).values()).reduce((sum, count) => sum + count)).toBe(PAIR_COUNT * 3);
  expect(countsOf(others[0] as Activity).size).toBe(PAIR_COUNT + 85);
});

test("A sum that was stopped in the middle leaves the next one right.", async () => {
  await expect((async () => await runYielding(halves(), () => Promise.reject(new Error("stopped"))))()).rejects.toThrow("stopped");
  const whole = await runYielding(halves(), () => Promise.resolve());
  expect(Array.from(countsOf(whole).values()).reduce((sum, count) => sum + count)).toBe(PAIR_COUNT * 3);
});

const DAY_MS = 86_400_000;
const startMs = Date.UTC(2026, 0, 1);
const nowMs = startMs + 39.5 * DAY_MS;

/** Forty days of events, of which half of the members' name no company. */
const events = Array.from({ length: 8_000 }, (_, at) => {
  const user = at % 91;
  const companyId = user < 40 && Math.floor(at / 91) % 2 === 0 ? `company ${user % 9}` : undefined;
  return { name: "seen", userId: `user ${user}`, companyId, createdAt: startMs + at * 426_000 };
});

const active = events.filter(({ createdAt }) => createdAt >= nowMs - 30 * DAY_MS);
const ofCompany = (company: number) => active.filter(({ userId }) => Number(userId.slice(5)) < 40 && Number(userId.slice(5)) % 9 === company);

test.each([
  ["topCompanies", (daybook: Daybook) => daybook.topCompanies().then(({ companies }) => companies.map(({ companyId, events: count, users }) => [companyId, count, users])),
    Array.from({ length: 9 }, (_, company) => [`company ${company}`, ofCompany(company).length, new Set(ofCompany(company).map(({ userId }) => userId)).size])],
  ["companyTopUsers", (daybook: Daybook) => daybook.companyTopUsers({ companyId: "company 3" }).then(({ users }) => users.map(({ resolvedIdentifier, events: count }) => [resolvedIdentifier, count])),
    [3, 12, 21, 30, 39].map((user) => [`user ${user}`, active.filter(({ userId }) => userId === `user ${user}`).length])],
] as const)("%s keeps spans of days from the second time on, and answers the same each time.", async (_, ask, expected) => {
  const storage = new RecordingStorage();
  const clock = fixedClock(nowMs);
  const filled = await openDaybook({ storage, clock });
  await filled.ingest(events);
  await filled.close();
  const works: QueryStats[] = [];
  await using daybook = await openDaybook({ storage: new RecordingStorage(storage.objects), clock, onWork: (_report, work) => works.push(work) });
  for (let asked = 0; asked < 3; asked += 1) expect(new Set((await ask(daybook)).map(String))).toEqual(new Set(expected.map(String)));
  expect(works.map(({ cachedCount }) => cachedCount > 0)).toEqual([false, false, true]);
});
