import { parquetMetadata } from "hyparquet";
import { memoryStorage, openDaybook } from "daybook";
import { generateTraffic } from "daybook/testing";
import { expect, test } from "vitest";
import { load } from "../../../src/cli/load.js";
import { readParquet } from "../../../src/cli/read/columnar.js";
import { duckdb, fileOf, parquetOf, withFile } from "./files.js";

test("a large day has several row groups of about the same length, none over 16,384 rows, and comes in again whole", async () => {
  const daybook = await openDaybook({ storage: memoryStorage() });
  let events = [];
  for (const event of generateTraffic({ seed: 4, eventCount: 70_000, dayCount: 1, startMs: Date.UTC(2026, 1, 1) })) {
    events.push(event);
    if (events.length < 10_000) continue;
    await daybook.ingest(events);
    events = [];
  }
  const bytes = await parquetOf(daybook);
  expect(parquetMetadata(fileOf(bytes)).row_groups.map(({ num_rows: count }) => Number(count))).toEqual([14_000, 14_000, 14_000, 14_000, 14_000]);
  await withFile("large.parquet", bytes, async (path) => {
    expect(await duckdb(`SELECT count(*) AS events, count(DISTINCT id) AS ids, count(DISTINCT url) AS urls FROM '${path}'`)).toEqual([
      { events: "70000", ids: "70000", urls: String((await daybook.aggregate({ field: "url" })).length) },
    ]);
    const copy = await openDaybook({ storage: memoryStorage() });
    expect(await load(copy, readParquet(path, "set"))).toMatchObject({ accepted: 70_000, duplicates: 0, rejected: 0 });
    expect(Buffer.compare(await parquetOf(copy), bytes)).toBe(0);
  });
});
