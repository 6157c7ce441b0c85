import { expect, test } from "vitest";
import { fixedClock, memoryStorage, openDaybook, type EventInput } from "daybook";
import { RecordingStorage } from "../../store/recording-storage.js";
import { NOW } from "../reports/layouts.js";

const project = "default";

test("Rates are asked at every query: what is learned later, or withdrawn, counts from then on.", async () => {
  let rate: number | undefined;
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW), rates: () => rate });
  const total = async () => {
    const { cohorts, unconverted } = await daybook.ltvCohorts({ project, level: "identity" });
    const { rows } = await daybook.revenueByAttribution({ project });
    return [cohorts[0]?.revenue, rows[0]?.revenue, unconverted.length];
  };
  await daybook.ingest([{ name: "payment", userId: "ann", value: 2, currency: "EUR", createdAt: NOW - 2 }, { name: "payment", userId: "ann", value: 1, createdAt: NOW - 2 }]);
  await daybook.seal();
  expect(await total()).toEqual([1, 1, 1]);
  rate = 1.5;
  expect(await total()).toEqual([4, 4, 0]);
  await daybook.ingest([{ name: "payment", userId: "ann", value: 10, currency: "EUR", createdAt: NOW - 1 }]);
  expect(await total()).toEqual([19, 19, 0]);
  rate = 2;
  expect(await total()).toEqual([25, 25, 0]);
  rate = undefined;
  expect(await total()).toEqual([1, 1, 1]);
});

test("A rate is asked once for a currency and a day, whatever the number of payments, and never for the reporting currency.", async () => {
  const asked: string[] = [];
  const rates = (from: string, to: string, day: string) => {
    asked.push(`${from} ${to} ${day}`);
    return 1;
  };
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW), currency: "CHF", rates });
  const pay = (currency: string | null, createdAt: string): EventInput => ({ name: "payment", value: 1, currency, createdAt });
  await daybook.ingest([pay("eur", "2026-03-01T00:00:00Z"), pay("EUR", "2026-03-01T23:59:59.999Z"), pay("EUR", "2026-03-02T00:00:00Z"), pay("CHF", "2026-03-01T00:00:00Z"), pay(null, "2026-03-01T00:00:00Z"), pay("gold", "2026-03-01T00:00:00Z")]);
  await daybook.revenueByAttribution({ project });
  expect(asked.sort()).toEqual(["EUR CHF 2026-03-01", "EUR CHF 2026-03-02"]);
});

test.each([0, -1, Number.NaN, Infinity, "1.5", null])("A rate of %j is refused by name, day and currencies.", async (rate) => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW), rates: () => rate as number });
  await daybook.ingest([{ name: "payment", value: 1, currency: "EUR", createdAt: "2026-03-01T00:00:00Z" }]);
  const refusal = { code: "invalid_parameter", details: { param: "rates" }, message: expect.stringContaining("EUR to USD on 2026-03-01") as string };
  await expect(daybook.revenueByAttribution({ project })).rejects.toMatchObject(refusal);
  await expect(daybook.ltvCohorts({ project })).rejects.toMatchObject(refusal);
});

test.each([
  ["reads nothing where memory has room for its tables", 500_000],
  ["answers the same where it has not", 1],
])("A query asked again %s.", async (_, memoryBudgetBytes) => {
  const storage = new RecordingStorage();
  const visits = Array.from({ length: 3_000 }, (_, at): EventInput => ({
    name: "visit", id: `v${at}`, userId: `u${at % 500}`, url: `/page/${at}?utm_source=s${at % 3}`, createdAt: NOW - at * 900_000, browser: "Chrome",
  }));
  const payments = visits.filter((_, at) => at % 50 === 0).map((visit, at): EventInput => ({ ...visit, id: `p${at}`, name: "payment", value: 1, url: null }));
  let readCount = 0;
  storage.before = (operation) => void (readCount += operation.startsWith("read ") ? 1 : 0);
  await using daybook = await openDaybook({ storage, clock: fixedClock(NOW), memoryBudgetBytes });
  await daybook.ingest([...visits, ...payments]);
  await daybook.seal();
  let firstReadCount = 0;
  for (const ask of [
    () => daybook.ltvCohorts({ project, level: "identity" }),
    () => daybook.ltvCohorts({ project }),
    () => daybook.revenueByAttribution({ project, level: "identity" }),
    () => daybook.revenueByAttribution({ project, model: "last_touch" }),
  ]) {
    readCount = 0;
    const first = await ask();
    firstReadCount += readCount;
    readCount = 0;
    expect(await ask()).toEqual(first);
    expect(readCount === 0).toBe(memoryBudgetBytes > 1);
  }
  expect(firstReadCount > 0).toBe(memoryBudgetBytes === 1);
});

test("A query that failed to read is answered when it is asked again.", async () => {
  const storage = new RecordingStorage();
  const days = Array.from({ length: 3 }, (_, at): EventInput => ({ name: "payment", id: `p${at}`, userId: "ann", value: 1, createdAt: NOW - at * 86_400_000 }));
  const writer = await openDaybook({ storage, clock: fixedClock(NOW) });
  await writer.ingest(days);
  await writer.close();
  let isBroken = false;
  storage.before = (operation) => {
    if (isBroken && operation.startsWith("read ")) throw new Error("the disk is away");
  };
  for (const report of ["ltvCohorts", "revenueByAttribution"] as const) {
    await using daybook = await openDaybook({ storage, clock: fixedClock(NOW), memoryBudgetBytes: 1 });
    isBroken = true;
    await expect(daybook[report]({ project, level: "identity" })).rejects.toThrow("the disk is away");
    isBroken = false;
    expect(JSON.stringify(await daybook[report]({ project, level: "identity" }))).toContain('"revenue":3');
  }
});
