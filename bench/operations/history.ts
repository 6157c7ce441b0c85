import { memoryStorage, openDaybook, type Daybook, type EventInput } from "daybook";
import { generateTraffic } from "daybook/testing";
import { runAt, clock } from "../clock.js";

const EVENTS_PER_DAY = 1_000;
const DAY_COUNT = 720;
const ROUND_COUNT = 300;
const endMs = Date.UTC(2026, 2, 31);
const weekEndMs = Date.UTC(2026, 2, 17);
const MS_PER_DAY = 86_400_000;

/** One user in three belongs to one of a hundred companies, which all their events name. */
function withCompany(event: EventInput): EventInput {
  const visitor = Number(String(event.anonymousId).split("-")[1]);
  return typeof event.userId === "string" && visitor % 3 === 0 ? { ...event, companyId: `company-${visitor % 100}` } : event;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** Without what an older event may tell of: who somebody is and belongs to, where they first came from, and when they were first seen. */
function comparable(answer: unknown): string {
  const olderMembers = new Set(["identityId", "firstSeen", "rows", "companies", "users"]);
  return JSON.stringify(answer, (name, value: unknown) => (olderMembers.has(name) ? undefined : value));
}

async function storeOf(events: readonly EventInput[]): Promise<Daybook> {
  const daybook = await openDaybook({ storage: memoryStorage(), clock });
  for (let from = 0; from < events.length; from += 10_000) await daybook.ingest(events.slice(from, from + 10_000));
  await daybook.seal();
  return daybook;
}

/** Queries about seven days with 720 days stored, and with only the last 90 of them: ratios of medians, asked in turn. */
export async function historyFigures() {
  const startMs = endMs - DAY_COUNT * MS_PER_DAY;
  const events = [...generateTraffic({ seed: 1, eventCount: EVENTS_PER_DAY * DAY_COUNT, dayCount: DAY_COUNT, startMs })].map(withCompany);
  const [short, long] = [await storeOf(events.slice(-EVENTS_PER_DAY * 90)), await storeOf(events)];
  const week = { startDate: "2026-03-10", endDate: "2026-03-16" };
  const filterGroups = [{ filters: [{ fieldName: "device", operator: "=", value: "mobile" }] }];
  const [{ userId = "" } = {}] = events.slice(-1_000).filter((event) => typeof event.userId === "string");
  const person = { ...week, userId: String(userId) };
  const runs: Record<string, (daybook: Daybook) => Promise<unknown>> = {
    count: (daybook) => daybook.countEvents(week),
    "count with a filter": (daybook) => daybook.countEvents({ ...week, filterGroups }),
    "per day": (daybook) => daybook.countEventsPerDay(week),
    "running total per day": (daybook) => daybook.countEventsRunningTotalPerDay(week),
    "unique users": (daybook) => daybook.countUniqueUsers(week),
    "unique users per day": (daybook) => daybook.countUniqueUsersPerDay(week),
    aggregate: (daybook) => daybook.aggregate({ ...week, field: "url" }),
    "aggregate users": (daybook) => daybook.aggregate({ ...week, field: "user_id" }),
    search: async (daybook) => (await daybook.searchEvents({ ...week, filterGroups })).events,
    sessions: (daybook) => daybook.identitySessions(person),
    profile: (daybook) => daybook.identityProfile(person),
    referrers: (daybook) => daybook.identityReferrers(person),
    "devices and places": (daybook) => daybook.identityDeviceGeo(person),
    "revenue by source": (daybook) => daybook.revenueByAttribution({ ...week, project: "web" }),
    "top companies": (daybook) => runAt(weekEndMs, () => daybook.topCompanies({ rangeDays: 7 })),
    "users of a company": (daybook) => runAt(weekEndMs, () => daybook.companyTopUsers({ companyId: "company-0", rangeDays: 7 })),
  };
  const figures: Record<string, number> = {};
  for (const [name, run] of Object.entries(runs)) {
    const [expected, answer] = [comparable(await run(short)), comparable(await run(long))];
    if (answer !== expected) throw new Error(`${name}: expected the same of the same seven days, got ${answer.slice(0, 200)} instead of ${expected.slice(0, 200)}`);
    const times: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUND_COUNT; round += 1)
      for (const [place, daybook] of [short, long].entries()) {
        const startedMs = performance.now();
        await run(daybook);
        times[place]?.push(performance.now() - startedMs);
      }
    figures[`seven days, ${name}: 720 days stored over 90`] = median(times[1]) / median(times[0]);
  }
  await short.close();
  await long.close();
  return figures;
}
