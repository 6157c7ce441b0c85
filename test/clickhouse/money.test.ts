import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput } from "daybook";
import { openClickHouse } from "daybook/clickhouse";
import { describe, expect, test } from "vitest";
import { newDatabase, queryLayouts, type Layout } from "./kit.js";

const HOUR = 3_600_000;
const startMs = Date.UTC(2026, 1, 10, 12);
const clock = fixedClock(startMs + 100 * HOUR);
const rates = (currency: string, _to: string, day: string) => ({ GBP: day < "2026-02-11" ? 1.25 : 1.2, JPY: 0.006 })[currency];

/** Short ones are added up by the server; fine, long and great ones are not, and nothing is no order. */
const AMOUNTS: readonly number[] = [
  0.1, 0.2, 12.345678, 999_999_999.999999, 7, 7, 0, 0, 1.5e-7, 1.5e-7, 4e-13, 6e-13, 0.0000005, 1_234_567_890.25, 1_234_567_890.25, 1e21, 2 ** 53, -3, -3.5, -1e-7,
];
const CURRENCIES = [undefined, "EUR", "eur", " EUR ", "GBP", "JPY", "CHF", "nonsense"];

/** Of one hour, none of which the server adds up: together they are some cents. */
const FINE_AMOUNTS = Array.from({ length: 400 }, () => 0.000_150_000_01);

/** Each amount in each currency, as payment and as refund, one each hour, and fine ones; three people of two companies pay. */
function payments(): EventInput[] {
  const events: EventInput[] = [];
  for (const name of ["Purchase", "Refund"])
    for (const [place, value] of AMOUNTS.entries())
      for (const [of, currency] of CURRENCIES.entries()) {
        const at = events.length;
        const id = `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;
        const who = { userId: `user-${at % 3}`, companyId: `company-${at % 2}` };
        const metadata = currency === undefined ? { revenue: value } : { revenue: value, currency };
        events.push({ id, name, createdAt: startMs + ((place + of) % 60) * HOUR, url: `https://shop.example/?utm_source=ad-${at % 4}`, ...who, metadata });
      }
  for (const value of FINE_AMOUNTS) {
    const id = `00000000-0000-4000-8000-${String(events.length).padStart(12, "0")}`;
    events.push({ id, name: "Purchase", createdAt: startMs + 61 * HOUR, userId: "user-fine", companyId: "company-fine", metadata: { revenue: value } });
  }
  return events;
}

const range = { startDate: new Date(startMs), endDate: new Date(startMs + 70 * HOUR) };
const trends = [
  ...(["hour", "day", "total"] as const).map((interval) => ({ ...range, interval, measure: { type: "revenue" as const } })),
  { ...range, interval: "day" as const, measure: { type: "revenue" as const }, cumulative: true, breakdown: { fields: ["userId" as const], limit: 2, rest: true } },
  // Open on both sides.
  { interval: "day" as const, measure: { type: "revenue" as const }, fill: false },
];

const queries: Readonly<Record<string, (of: Pick<Daybook, "ltvCohorts" | "revenueByAttribution" | "topCompanies" | "trend">) => Promise<unknown>>> = {
  cohorts: (of) => of.ltvCohorts({ project: "default", level: "identity" }),
  "cohorts of accounts": (of) => of.ltvCohorts({ project: "default", level: "account" }),
  attribution: (of) => of.revenueByAttribution({ project: "default", ...range, model: "last_touch", dimension: "source", level: "identity" }),
  companies: (of) => of.topCompanies({ sort: "revenue" }),
  ...Object.fromEntries(trends.map((input) => [`trend ${JSON.stringify(input)}`, (of: Pick<Daybook, "trend">) => of.trend(input)])),
};

async function answersOf(layout: Layout): Promise<Record<string, { given: unknown; expected: unknown }>> {
  const rules = { clock, currency: "EUR", rates };
  const { options, drop } = await newDatabase(layout, rules);
  const daybook = await openClickHouse(options);
  const embedded = await openDaybook({ ...rules, storage: memoryStorage() });
  try {
    for (const of of [daybook, embedded]) expect(await of.ingest(payments())).toMatchObject({ rejected: [] });
    const answers: Record<string, { given: unknown; expected: unknown }> = {};
    for (const [name, ask] of Object.entries(queries)) answers[name] = { given: await ask(daybook), expected: await ask(embedded) };
    return answers;
  } finally {
    await Promise.all([daybook.close(), embedded.close()]);
    await drop();
  }
}

describe.each(queryLayouts)("money that the servers add up, %s", (layout) => {
  test("comes to what the embedded engine adds up one by one", async () => {
    for (const [name, { given, expected }] of Object.entries(await answersOf(layout))) expect(JSON.stringify(given), name).toBe(JSON.stringify(expected));
  });
});

test.each(queryLayouts)("a refund that somebody else sent before does not count for a person, with an order key or without one, %s", async (layout) => {
  const refund = (id: string, hour: number, userId: string, value: number, rest: object) => ({
    id, name: "Refund", userId, value, createdAt: startMs + hour * HOUR, hostname: "shop.example", metadata: { refund_id: "r1" }, ...rest,
  });
  const { options, drop } = await newDatabase(layout, { clock });
  const daybook = await openClickHouse(options);
  await daybook.ingest([
    { id: "p", name: "Purchase", userId: "ann", value: 100, externalId: "o1", createdAt: startMs, hostname: "shop.example" },
    refund("a", 1, "bob", 1, {}), refund("b", 2, "ann", 2, {}), refund("c", 2, "ann", 4, { project: "other" }),
    refund("d", 1, "bob", 8, { externalId: "o1" }), refund("e", 2, "ann", 16, { externalId: "o1" }), refund("f", 2, "ann", 32, { externalId: "o1", metadata: {} }),
  ]);
  const range = { startDate: new Date(startMs), endDate: new Date(startMs + 70 * HOUR) };
  expect((await daybook.identityProfile({ userId: "ann", ...range })).revenue).toBe(100 - 4 - 32);
  expect((await daybook.identityProfile({ userId: "bob", ...range })).revenue).toBe(-1 - 8);
  expect((await daybook.identitySessions({ userId: "ann", ...range })).sessions.map(({ revenue }) => revenue)).toEqual([-4, -32, 100]);
  await daybook.close();
  await drop();
});
