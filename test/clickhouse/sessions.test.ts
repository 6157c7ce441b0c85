import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput } from "daybook";
import { openClickHouse, type ClickHouseDaybook, type ClickHouseOptions } from "daybook/clickhouse";
import { afterAll, describe, expect, test } from "vitest";
import { seededRandom, type Random } from "../../src/testing/random.js";
import { baseSeed, caseCount } from "../oracle/settings.js";
import { newDatabase, queryLayouts, type Layout } from "./kit.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FIRST_MS = Date.parse("2026-03-01T00:00:00Z");
const NOW_MS = FIRST_MS + 40 * DAY_MS;
const PAGES = ["/", "/prices", "/docs", "/blog?utm_source=news"];

interface Both {
  readonly clickHouse: ClickHouseDaybook;
  readonly embedded: Daybook;
  close(): Promise<void>;
}

async function both(layout: Layout, session: ClickHouseOptions["session"], store: (daybook: Daybook) => Promise<void>): Promise<Both> {
  const rules = { clock: fixedClock(NOW_MS), ...(session === undefined ? {} : { session }) };
  const { options, drop } = await newDatabase(layout, rules);
  const clickHouse = await openClickHouse(options);
  const embedded = await openDaybook({ ...rules, storage: memoryStorage() });
  for (const each of [clickHouse as unknown as Daybook, embedded]) await store(each);
  const close = async () => {
    await Promise.all([clickHouse.close(), embedded.close()]);
    await drop();
  };
  return { clickHouse, embedded, close };
}

type Asked = Pick<Daybook, "sessionsOverview" | "webOverview" | "paths" | "trend" | "funnel">;

const ofPath = (value: string) => ({ filterGroups: [{ filters: [{ fieldName: "path", operator: "equals", value }] }] });

/** What every report about sessions says of a range. */
async function answersOf(daybook: Asked, range: { readonly startDate?: string; readonly endDate?: string }) {
  const isClosed = range.startDate !== undefined && range.endDate !== undefined;
  const { figures, ...web } = await daybook.webOverview({ ...range, limit: 3, interval: "day", ...(isClosed ? { compare: "previous_period" } : {}) });
  return {
    sessions: await daybook.sessionsOverview({ ...range, interval: "day", breakdown: { fields: ["path", "browser"], limit: 2, rest: true }, limit: 3 }),
    web: { figures, ...web },
    paths: await daybook.paths({ ...range, node: "path", maxDepth: 4 }),
    trend: await daybook.trend({ ...range, measure: { type: "sessions" }, breakdown: { fields: ["browser"], limit: 1, rest: true } }),
    funnel: await daybook.funnel({ ...range, level: "session", steps: [ofPath("/"), ofPath("/docs")] }),
  };
}

async function expectEqual({ clickHouse, embedded }: Both, range: { readonly startDate?: string; readonly endDate?: string }): Promise<void> {
  expect(await answersOf(clickHouse as unknown as Asked, range), JSON.stringify(range)).toEqual(await answersOf(embedded, range));
}

const iso = (ms: number) => new Date(ms).toISOString();

/** Few people with several devices each, linked early, late or never; some of them without a pause for days, and some events at one ms. */
function busyEvents(random: Random): EventInput[] {
  const events: EventInput[] = [];
  for (let person = 0; person < 6; person += 1) {
    const pauseMs = random.pick([20, 40, 200]) * 60_000;
    let ms = FIRST_MS + random.between(0, 2 * DAY_MS);
    while (ms < FIRST_MS + 12 * DAY_MS && events.length < 3_000) {
      const device = random.between(0, 2);
      const isLinked = random.between(0, 50) === 0;
      events.push({
        id: `e${events.length}`, name: "page_view", createdAt: iso(ms), anonymousId: `p${person}-d${device}`, url: random.pick(PAGES), browser: random.pick(["Firefox", "Chrome"]),
        project: random.between(0, 9) === 0 ? "shop" : "site", ...(isLinked ? { userId: `u${person}` } : {}),
      });
      if (random.between(0, 8) > 0) ms += Math.floor((random.between(0, 12) * pauseMs) / 10);
      if (random.between(0, 150) === 0) ms += 2 * DAY_MS;
    }
  }
  return events;
}

describe.each(queryLayouts)("sessions on ClickHouse, %s", (layout) => {
  const opened: Both[] = [];
  afterAll(async () => {
    for (const each of opened) await each.close();
  });
  const storesOf = async (session: ClickHouseOptions["session"], events: readonly EventInput[]) => {
    const stores = await both(layout, session, async (daybook) => void (await daybook.ingest(events)));
    opened.push(stores);
    return stores;
  };

  const pageAt = (ms: number, rest: Partial<EventInput> = {}): EventInput => ({ name: "page_view", createdAt: iso(ms), anonymousId: "a", url: "/", ...rest });

  test("a session that lasts over the beginning of a range counts before it, however long its person makes no pause", async () => {
    // One event every twenty minutes for six days: sessions of 24 hours, each beginning twenty minutes after the one before has ended.
    const stores = await storesOf(undefined, Array.from({ length: 6 * 72 }, (_, at) => pageAt(FIRST_MS + at * 20 * 60_000)));
    const { total } = await stores.clickHouse.sessionsOverview({ startDate: iso(FIRST_MS + 4 * DAY_MS), endDate: iso(FIRST_MS + 5 * DAY_MS - 1) });
    expect(total).toMatchObject({ sessions: 1, events: 73, durationAvgSec: 86_400 });
    await expectEqual(stores, { startDate: iso(FIRST_MS + 4 * DAY_MS), endDate: iso(FIRST_MS + 5 * DAY_MS - 1) });
    await expectEqual(stores, {});
  });

  test("two devices whose link comes late make one session, which ends after 24 hours wherever their events lie", async () => {
    const devices = Array.from({ length: 150 }, (_, at) => pageAt(FIRST_MS + at * 29 * 60_000, { anonymousId: at % 2 === 0 ? "phone" : "laptop", url: PAGES[at % 4] as string }));
    const links = ["phone", "laptop"].map((anonymousId) => pageAt(FIRST_MS + 10 * DAY_MS, { anonymousId, userId: "ann" }));
    const stores = await storesOf(undefined, [...devices, ...links]);
    const range = { startDate: iso(FIRST_MS), endDate: iso(FIRST_MS + 5 * DAY_MS) };
    // 50 events in 23 hours and 41 minutes; the next one is 24 hours and 10 minutes after the first.
    expect((await stores.clickHouse.sessionsOverview(range)).total).toMatchObject({ sessions: 3, users: 1, events: 150 });
    await expectEqual(stores, range);
  });

  test("a pause as long as allowed divides nothing, and one that is a millisecond longer does", async () => {
    const gapMs = 30 * 60_000;
    const times = [0, gapMs, 2 * gapMs + 1, 2 * gapMs + 1, 3 * gapMs + 2];
    const stores = await storesOf(undefined, times.map((ms, at) => pageAt(FIRST_MS + 3 * DAY_MS + ms, { anonymousId: at % 2 === 0 ? "a" : "b", userId: "ann" })));
    const range = { startDate: iso(FIRST_MS + 3 * DAY_MS), endDate: iso(FIRST_MS + 4 * DAY_MS) };
    expect((await stores.clickHouse.sessionsOverview(range)).total).toMatchObject({ sessions: 3, events: 5, bounces: 1 });
    await expectEqual(stores, range);
  });

  test("busy people", async () => {
    const random = seededRandom(baseSeed);
    const rules = [undefined, { gapMs: 3 * HOUR_MS, maxMs: 5 * HOUR_MS }, { gapMs: HOUR_MS, maxMs: 20 * 60_000 }, { gapMs: 60 * DAY_MS, maxMs: 0 }];
    for (const session of rules) {
      const stores = await storesOf(session, busyEvents(random));
      for (let count = 0; count < caseCount(4, 40); count += 1) {
        const fromMs = FIRST_MS + random.between(0, 10 * DAY_MS);
        const isOpen = random.between(0, 5) === 0;
        await expectEqual(stores, { ...(isOpen ? {} : { startDate: iso(fromMs) }), endDate: iso(fromMs + random.between(1, 4 * DAY_MS)) });
      }
    }
  });
});
