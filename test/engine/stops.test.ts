import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput, type QueryOptions, type Storage } from "daybook";
import { beforeAll, describe, expect, test } from "vitest";
import { useLimits } from "../limits.js";
import { turnsOfOthers } from "../testing/turns-of-others.js";
import { signalOf } from "./counted-signal.js";

// A slice of no length, and turns behind each value: a query looks at its signal wherever it may.
useLimits({ sliceMs: 0, turnValueCount: 1 });

const DAY_COUNT = 40;
const firstMs = Date.UTC(2026, 0, 1);
const clock = fixedClock(firstMs + DAY_COUNT * 86_400_000);
const all = { startDate: "2026-01-01", endDate: "2026-02-09" };
const filterGroups = [{ filters: [{ fieldName: "url", operator: "contains", value: "1" } as const] }];
const person = { ...all, userId: "ann" };

const events = Array.from({ length: DAY_COUNT }, (_, day): EventInput[] => [
  { name: "pageview", createdAt: firstMs + day * 86_400_000, userId: "ann", companyId: "acme", url: `/${day}?utm_source=a`, referrer: `https://${day}.example/` },
  { name: "purchase", createdAt: firstMs + day * 86_400_000 + 1, userId: "ann", value: 5, currency: "USD", externalId: `order ${day}` },
]).flat();

type Queries = Readonly<Record<string, (daybook: Daybook, options?: QueryOptions) => Promise<unknown>>>;

const ofRows: Queries = {
  countEvents: (daybook, options) => daybook.countEvents({ ...all, filterGroups }, options),
  countEventsPerDay: (daybook, options) => daybook.countEventsPerDay({ ...all, filterGroups }, options),
  countEventsRunningTotalPerDay: (daybook, options) => daybook.countEventsRunningTotalPerDay({ ...all, filterGroups }, options),
  countUniqueUsers: (daybook, options) => daybook.countUniqueUsers({ ...all, filterGroups }, options),
  countUniqueUsersPerDay: (daybook, options) => daybook.countUniqueUsersPerDay({ ...all, filterGroups }, options),
  aggregate: (daybook, options) => daybook.aggregate({ ...all, field: "url" }, options),
  searchEvents: (daybook, options) => daybook.searchEvents({ ...all, filterGroups, limit: 100 }, options),
  identitySessions: (daybook, options) => daybook.identitySessions(person, options),
  identityProfile: (daybook, options) => daybook.identityProfile(person, options),
  identityReferrers: (daybook, options) => daybook.identityReferrers(person, options),
  identityDeviceGeo: (daybook, options) => daybook.identityDeviceGeo(person, options),
};

/** They wait for tables of all time, which others may wait for too: loading goes on. */
const ofTables: Queries = {
  revenueByAttribution: (daybook, options) => daybook.revenueByAttribution({ ...all, project: "default" }, options),
  "revenueByAttribution, account": (daybook, options) => daybook.revenueByAttribution({ ...all, project: "default", level: "account" }, options),
  ltvCohorts: (daybook, options) => daybook.ltvCohorts({ project: "default", level: "identity" }, options),
  "ltvCohorts, account": (daybook, options) => daybook.ltvCohorts({ project: "default", level: "account" }, options),
  topCompanies: (daybook, options) => daybook.topCompanies({ rangeDays: 300 }, options),
  companyTopUsers: (daybook, options) => daybook.companyTopUsers({ companyId: "acme", rangeDays: 300 }, options),
};

describe("The first query of its kind, over a segment for each day,", () => {
  let storage: Storage;
  beforeAll(async () => {
    storage = Object.assign(memoryStorage(), { volatile: false });
    await using daybook = await openDaybook({ storage, clock });
    await daybook.ingest(events);
    await daybook.seal();
  });

  test.each(Object.entries(ofRows))("looks at its signal for each, and goes on no further once that says stop: %s", async (_name, ask) => {
    const asked = async (lookCount: number) => {
      await using daybook = await openDaybook({ storage, clock, readOnly: true });
      const signal = signalOf(lookCount);
      const outcome = await ask(daybook, { signal }).then(() => "answered", (error: unknown) => (error as { code?: string }).code);
      return { outcome, lookCount: signal.looks() };
    };
    const whole = await asked(Infinity);
    expect(whole.outcome).toBe("answered");
    expect(whole.lookCount).toBeGreaterThanOrEqual(DAY_COUNT);
    // The first look is that of the check of options.
    for (const lookCount of [2, DAY_COUNT / 2, DAY_COUNT]) {
      const { outcome, lookCount: looks } = await asked(lookCount);
      // Loads that were under way look once more.
      expect([outcome, looks - lookCount <= 8]).toEqual(["aborted", true]);
    }
  });

  test.each(Object.entries(ofTables))("lets others have a turn between them, and ends soon after its signal says stop: %s", async (_name, ask) => {
    await using daybook = await openDaybook({ storage, clock, readOnly: true });
    const signal = signalOf(2);
    await expect(ask(daybook, { signal })).rejects.toMatchObject({ code: "aborted" });
    expect(signal.looks()).toBe(2);
    // Four are loaded at a time.
    expect(await turnsOfOthers(() => ask(daybook))).toBeGreaterThanOrEqual(DAY_COUNT / 4);
  });
});
