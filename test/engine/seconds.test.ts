import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput, type RecordInput } from "../../src/index.js";

const NOW_MS = Date.UTC(2026, 2, 10, 12);

let daybook: Daybook;
beforeEach(async () => {
  daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
});
afterEach(() => daybook.close());

const at = (createdAt: unknown) => ({ name: "visit", createdAt }) as EventInput;
/** What `Date.now() / 1000` was on 2025-03-01 at 10:00 UTC. */
const SECONDS = 1_740_823_200;
const told = (seconds: number, iso: string, ms: number) =>
  `createdAt: expected epoch milliseconds, these look like seconds (for ${iso} send ${ms}, for a time before 1973 send RFC 3339 text), got ${seconds}`;
const TOLD = told(SECONDS, "2025-03-01T10:00:00.000Z", 1_740_823_200_000);
const BEFORE_1973 = "expected epoch milliseconds, these look like seconds (for a time before 1973 send RFC 3339 text)";

describe("a number of the years before 1973, as ms", () => {
  test("is rejected, and the message names the ms that were meant", async () => {
    const { accepted, rejected } = await daybook.ingest([at(SECONDS), { name: "visit", timestamp: SECONDS + 0.25 }, { name: "visit", created_at: 94_694_400 }, at(SECONDS * 1_000)]);
    expect(accepted).toBe(1);
    expect(rejected.map(({ code, message }) => [code, message])).toEqual([
      ["invalid_event", TOLD],
      ["invalid_event", told(1_740_823_200.25, "2025-03-01T10:00:00.250Z", 1_740_823_200_250)],
      ["invalid_event", told(94_694_400, "1973-01-01T00:00:00.000Z", 94_694_400_000)],
    ]);
    expect((await daybook.searchEvents()).events.map(({ createdAt }) => createdAt)).toEqual(["2025-03-01T10:00:00.000Z"]);
  });

  test("names no ms where these are before 1973 too", async () => {
    const { rejected } = await daybook.ingest([at(0), at(1_000), at(94_694_399)]);
    expect(rejected.map(({ message }) => message)).toEqual([0, 1_000, 94_694_399].map((time) => `createdAt: ${BEFORE_1973}, got ${time}`));
  });

  test("is so up to the last ms of 1972", async () => {
    expect(await daybook.ingest([at(94_694_399_999), at(94_694_400_000)])).toMatchObject({ accepted: 1, rejected: [{ index: 0 }] });
  });

  test("is refused in records", async () => {
    const records: RecordInput[] = [{ type: "identify", userId: "ann", createdAt: SECONDS }, { type: "unlink", linkId: "x", createdAt: SECONDS }];
    const { rejected } = await daybook.ingestRecords(records);
    expect(rejected).toEqual([0, 1].map((index) => ({ index, code: "invalid_parameter", message: TOLD })));
    const error = { code: "invalid_parameter", message: TOLD, details: { param: "createdAt" } };
    await expect(daybook.identify({ userId: "ann", createdAt: SECONDS })).rejects.toMatchObject(error);
    await expect(daybook.group({ companyId: "acme", userId: "ann", createdAt: SECONDS })).rejects.toMatchObject(error);
    await expect(daybook.alias({ from: "a", to: "ann", createdAt: SECONDS })).rejects.toMatchObject(error);
  });
});

test("What did happen before 1973 is told as text or as a Date.", async () => {
  expect(await daybook.ingest([at("1970-01-01T00:00:00Z"), at("1972-12-31T23:59:59.999Z"), at(new Date(0))])).toMatchObject({ accepted: 3, rejected: [] });
  await daybook.identify({ userId: "ann", createdAt: "1971-05-01T00:00:00Z" });
  const days = (await daybook.countEventsPerDay()).map(({ day, count }) => [day.slice(0, 10), count]);
  expect(days).toEqual([["1970-01-01", 2], ["1972-12-31", 1]]);
});

test("Seconds of other years than ours are no ms of 1970 to 1972 either.", async () => {
  const years = Array.from({ length: 500 }, (_, at) => Date.UTC(1970 + at, 5, 1) / 1_000);
  const { accepted, rejected } = await daybook.ingest(years.map(at));
  expect([accepted, rejected.length]).toEqual([0, 500]);
});
