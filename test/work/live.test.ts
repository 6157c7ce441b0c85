import { describe, expect, test } from "vitest";
import type { Daybook, EventInput } from "daybook";
import { sliceOf } from "../oracle/settings.js";
import { events, ninetyDays, openMeasured, type Measured } from "./ninety-days.js";

const laterMs = Date.UTC(2026, 3, 5);
const userIds = [...new Set(events.flatMap((event) => (typeof event.userId === "string" ? [event.userId] : [])))];
const [userId = "", companyId] = [userIds[0], "acme"];
const year = { startDate: "2026-01-01", endDate: "2026-12-31" };

const queries: Readonly<Record<string, (daybook: Daybook) => Promise<unknown>>> = {
  countEvents: (daybook) => daybook.countEvents(),
  countUniqueUsers: (daybook) => daybook.countUniqueUsers(),
  countUniqueUsersPerDay: (daybook) => daybook.countUniqueUsersPerDay(),
  aggregate: (daybook) => daybook.aggregate({ field: "url" }),
  identitySessions: (daybook) => daybook.identitySessions({ ...year, userId }),
  identityProfile: (daybook) => daybook.identityProfile({ ...year, userId }),
  identityReferrers: (daybook) => daybook.identityReferrers({ ...year, userId }),
  identityDeviceGeo: (daybook) => daybook.identityDeviceGeo({ ...year, userId }),
  "revenueByAttribution, identity": (daybook) => daybook.revenueByAttribution({ ...year, project: "web", level: "identity" }),
  "revenueByAttribution, account": (daybook) => daybook.revenueByAttribution({ ...year, project: "web", level: "account" }),
  "ltvCohorts, identity": (daybook) => daybook.ltvCohorts({ project: "web", level: "identity" }),
  "ltvCohorts, account": (daybook) => daybook.ltvCohorts({ project: "web", level: "account" }),
  topCompanies: (daybook) => daybook.topCompanies({ rangeDays: 365 }),
  companyTopUsers: (daybook) => daybook.companyTopUsers({ companyId, rangeDays: 365 }),
};

/** Ninety days of people, of whom some belong to companies. */
async function openWithCompanies(): Promise<Measured> {
  const store = await openMeasured(await ninetyDays());
  for (const [at, member] of userIds.slice(0, 60).entries()) await store.daybook.group({ userId: member, companyId: at % 3 === 0 ? companyId : `company ${at % 7}` });
  return store;
}

/** A visitor signs up, joins a company and pays; somebody's event comes days late. */
async function live(daybook: Daybook, step: number): Promise<void> {
  const [anonymousId, newUserId] = [`visitor ${step}`, `new ${step}`];
  const visit = Array.from({ length: 18 }, (_, at): EventInput => (
    { name: "pageview", project: "elsewhere", createdAt: laterMs + step * 100 + at, anonymousId, url: `/live/${at}?utm_source=live` }));
  await daybook.ingest([
    ...visit,
    { name: "purchase", project: "elsewhere", createdAt: laterMs + step * 100 + 50, userId: newUserId, value: 5, currency: "USD" },
    { name: "pageview", project: "elsewhere", createdAt: Date.UTC(2026, 0, 20) + step, userId: `late ${step}`, companyId: `company of ${step}` },
  ]);
  await daybook.identify({ userId: newUserId, anonymousId });
  await daybook.group({ userId: newUserId, companyId: `company of ${step}` });
}

describe("While people sign up, pay and come late", () => {
  test.each(sliceOf(Object.entries(queries), 3))("%s looks at what came since, and reads nothing", async (_name, ask) => {
    const store = await openWithCompanies();
    // What queries about companies keep is made the second time.
    for (let asked = 0; asked < 2; asked += 1) await store.measure(ask);
    for (let step = 0; step < 3; step += 1) {
      await live(store.daybook, step);
      const { work, reads } = await store.measure(ask);
      // Of some tables each takes the rows once.
      expect([work.rowCount <= 200 ? "few rows" : work.rowCount, reads]).toEqual(["few rows", []]);
    }
  });

  test("a link that concerns somebody costs what the two hold", async () => {
    const store = await openWithCompanies();
    const ask = queries["identityProfile"] as (daybook: Daybook) => Promise<unknown>;
    await store.measure(ask);
    await live(store.daybook, 0);
    await store.daybook.identify({ userId, anonymousId: "visitor 1000" });
    const { work } = await store.measure(ask);
    expect(work.rowCount).toBeLessThan(200);
  });

  test("a seal is a replacement of parts: no table is made anew", async () => {
    const store = await openWithCompanies();
    for (const ask of Object.values(queries)) await ask(store.daybook);
    await live(store.daybook, 0);
    for (const ask of Object.values(queries)) await ask(store.daybook);
    await store.daybook.seal();
    for (const name of ["revenueByAttribution, account", "ltvCohorts, account", "ltvCohorts, identity"]) {
      const { work } = await store.measure(queries[name] as (daybook: Daybook) => Promise<unknown>);
      expect([name, work.rowCount]).toEqual([name, 0]);
    }
  });
});
