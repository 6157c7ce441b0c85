import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { fixedClock, memoryStorage, openDaybook, type Daybook, type DaybookOptions, type EventInput } from "daybook";
import { openClickHouse, type ClickHouseDaybook, type ClickHouseOptions } from "daybook/clickhouse";
import { describe, expect, test } from "vitest";
import { newDatabase, queryLayouts, type Layout } from "./kit.js";

const nowMs = Date.UTC(2026, 2, 1);
const clock = fixedClock(nowMs);
const DAY_MS = 86_400_000;

type Rules = Partial<Pick<DaybookOptions, "attribution" | "session" | "clock">>;
type Asked = Pick<Daybook, "countEvents" | "identityProfile" | "revenueByAttribution" | "sessionsOverview">;

/** Settings of a user of the server, who is asked as by a client of ours. */
type Profile = Readonly<Record<string, string | number>>;

async function openUnder({ url = "", ...options }: ClickHouseOptions, clickhouse_settings: Profile): Promise<ClickHouseDaybook> {
  const client = createClient({ url, database: options.database, clickhouse_settings, log: { level: ClickHouseLogLevel.OFF } });
  return await openClickHouse({ ...options, client });
}

/** What ClickHouse and the embedded engine answer about the same events. */
async function bothOf<T>(layout: Layout, rules: Rules, events: readonly EventInput[], ask: (of: Asked) => Promise<T>): Promise<[T, T]> {
  const { options, drop } = await newDatabase(layout, { clock, ...rules });
  const onClickHouse = await openClickHouse(options);
  const embedded = await openDaybook({ clock, ...rules, storage: memoryStorage() });
  try {
    for (const daybook of [onClickHouse, embedded]) await daybook.ingest(events);
    return [await ask(onClickHouse), await ask(embedded)];
  } finally {
    await Promise.all([onClickHouse.close(), embedded.close()]);
    await drop();
  }
}

const filter = (fieldName: string, operator: string, value: string) => ({ filterGroups: [{ filters: [{ fieldName, operator, value }] }] });

describe.each(queryLayouts)("what a server by itself would say otherwise, %s", (layout) => {
  test("regular expressions with letters of several bytes, and with classes of brackets", async () => {
    const texts = ["caf", "café", "cafés", "groe", "große", "ab]c", "x]b", "a\nb"];
    const events = texts.map((userId, at) => ({ name: "click", userId, createdAt: nowMs - at, metadata: { word: userId } }));
    const patterns = ["café{0,1}$", "café?$", "^café?$", "café*", "groß?e", "[]a]b", "^a.b", "(?i)^CAF.?$", "^a|é$"];
    const counts = (of: Asked) =>
      Promise.all(patterns.flatMap((pattern) =>
        ["user_id", "metadata.word"].flatMap((field) => ["regex", "not_regex"].map((operator) => of.countEvents(filter(field, operator, pattern))))));
    const [given, expected] = await bothOf(layout, {}, events, counts);
    expect(given).toEqual(expected);
    expect(new Set(expected).size).toBeGreaterThan(3);
  });

  test("a regular expression that it refuses is an error that says so", async () => {
    const asked = bothOf(layout, {}, [{ name: "click", userId: "a" }], (of) => of.countEvents(filter("user_id", "regex", "^\\p{L}{1,1000}$")));
    await expect(asked).rejects.toMatchObject({ code: "invalid_regex" });
  });

  test("somebody whose events have more metadata keys than an embedded store takes", async () => {
    const { options, drop } = await newDatabase(layout, { clock });
    const daybook = await openClickHouse(options);
    try {
      const keys = (at: number) => Object.fromEntries(Array.from({ length: 2_500 }, (_, key) => [`k${at}_${key}`, 1]));
      const events = Array.from({ length: 5 }, (_, at) => ({ name: "click", userId: "ann", createdAt: nowMs - at, metadata: keys(at) }));
      expect(await daybook.ingest(events)).toMatchObject({ accepted: 5, rejected: [] });
      expect(await daybook.identityProfile({ userId: "ann" })).toMatchObject({ events: 5 });
    } finally {
      await daybook.close();
      await drop();
    }
  });

  test("spans of time with fractions of a millisecond", async () => {
    const rules = { attribution: { lookbackMs: (5 * DAY_MS) / 7 }, session: { maxMs: DAY_MS / 7 } };
    const visit = (hours: number) => ({ name: "pageview", userId: "ann", createdAt: nowMs - hours * 3_600_000, url: "https://a.example/?utm_source=ad" });
    const payment = { name: "Purchase", userId: "ann", createdAt: nowMs - 1, metadata: { revenue: 5 } };
    const ask = async (of: Asked) => ({
      revenue: await of.revenueByAttribution({ project: "default", dimension: "source" }),
      sessions: await of.sessionsOverview({ startDate: new Date(nowMs - 3 * DAY_MS), endDate: new Date(nowMs) }),
    });
    const [given, expected] = await bothOf(layout, rules, [...Array.from({ length: 40 }, (_, at) => visit(at / 4)), visit(20), payment], ask);
    expect(given).toEqual(expected);
    expect(expected.sessions.total.sessions).toBeGreaterThan(2);
    const soon = { attribution: { lookbackMs: 999.5 } };
    const touch = { ...visit(0), createdAt: payment.createdAt - 1_000 };
    const [late, lateHere] = await bothOf(layout, soon, [touch, payment], (of) => of.revenueByAttribution({ project: "default", dimension: "source" }));
    expect(late).toEqual(lateHere);
    expect(JSON.stringify(lateHere)).not.toContain('"ad"');
  });

  test("a clock with fractions of a millisecond", async () => {
    const recent = { groups: [{ conditions: [{ type: "did" as const, eventName: "click", lastDays: 1 }] }] };
    const ask = (of: Asked) => of.countEvents({ segments: { recent }, ...filter("identity_id", "in_segment", "recent") });
    const agoMs = [0, DAY_MS - 1, DAY_MS, DAY_MS + 1, 2 * DAY_MS];
    const events = agoMs.map((ms, at) => ({ name: "click", userId: `user ${at}`, createdAt: nowMs - ms }));
    const [given, expected] = await bothOf(layout, { clock: { now: () => nowMs + 0.5 } }, events, ask);
    expect(given).toBe(expected);
    expect(expected).toBeGreaterThan(1);
  });

  test("settings of its user that change what a statement means", async () => {
    const profile = {
      enable_analyzer: 0, enable_global_with_statement: 0, prefer_column_name_to_alias: 1, aggregate_functions_null_for_empty: 1, limit: 1, offset: 1,
      enable_positional_arguments: 0, empty_result_for_aggregation_by_empty_set: 1, join_default_strictness: "ANY", distributed_group_by_no_merge: 1, final: 1,
    };
    const { options, drop } = await newDatabase(layout, { clock });
    const [plain, other] = [await openClickHouse(options), await openUnder(options, profile)];
    try {
      const visit = (at: number) => ({ name: "pageview", userId: `user ${at % 7}`, anonymousId: `device ${at % 3}`, createdAt: nowMs - at * 3_600_000, url: `/${at % 5}` });
      await other.ingest(Array.from({ length: 40 }, (_, at) => visit(at)));
      const asked = async (of: ClickHouseDaybook) => [
        await of.countEvents(filter("url", "equals", "/none")),
        await of.countUniqueUsersPerDay({}),
        await of.aggregate({ field: "url" }),
        await of.sessionsOverview({ interval: "day", startDate: new Date(nowMs - 3 * DAY_MS), endDate: new Date(nowMs) }),
        await of.identityProfile({ userId: "user 1" }),
        await of.revenueByAttribution({ project: "default", dimension: "source" }),
      ];
      const given = await asked(other);
      expect(given).toEqual(await asked(plain));
      expect(Object.keys(given[1] as object).length).toBeGreaterThan(1);
    } finally {
      await Promise.all([plain.close(), other.close()]);
      await drop();
    }
  });

  test("bounds of its user make no part of an answer", async () => {
    const { options, drop } = await newDatabase(layout, { clock });
    const [plain, bounded] = [await openClickHouse(options), await openUnder(options, { max_rows_to_group_by: 20, group_by_overflow_mode: "any" })];
    try {
      await plain.ingest(Array.from({ length: 60 }, (_, at) => ({ name: "click", userId: `user ${at}`, createdAt: nowMs - at * DAY_MS })));
      await expect(bounded.countEventsPerDay({})).rejects.toMatchObject({ code: "overloaded" });
    } finally {
      await Promise.all([plain.close(), bounded.close()]);
      await drop();
    }
  });
});
