import pl from "nodejs-polars";
import type { AggregateItem, Daybook } from "daybook";
import { generateTraffic } from "daybook/testing";
import { beforeAll, describe, expect, test } from "vitest";
import { daybookOf } from "../arrow/stored-rows.js";
import { duckdb, parquetOf, withFile } from "./files.js";

const events = [...generateTraffic({ seed: 8, eventCount: 3_000, dayCount: 5, startMs: Date.UTC(2026, 1, 1) })].map((event, at) =>
  at % 50 === 0 ? { ...event, value: at / 7, currency: "USD" } : event);

let daybook: Daybook;
let bytes: Uint8Array;
beforeAll(async () => {
  ({ daybook } = await daybookOf(events, 2_000));
  bytes = await parquetOf(daybook);
});

const sum = events.reduce((total, event) => total + ("value" in event ? (event.value ?? 0) : 0), 0);
const sorted = (items: readonly (readonly [string, number])[]) => [...items].sort(([a], [b]) => (a < b ? -1 : 1));
const known = (items: readonly AggregateItem[]) => sorted(items.map(({ property, count }) => [property, count]));

describe("a Parquet export in other programs", () => {
  test("DuckDB counts the same events, users, values and metadata in it", async () => {
    await withFile("events.parquet", bytes, async (path) => {
      const [totals] = await duckdb(`SELECT count(*) AS events, count(DISTINCT userId) AS users, sum(value) AS value, epoch_ms(max("createdAt")) AS last FROM '${path}'`);
      expect(totals).toEqual({ events: "3000", users: String(new Set(events.flatMap(({ userId }) => userId ?? [])).size), value: expect.closeTo(sum, 6) as number, last: String(Math.max(...events.map(({ createdAt }) => createdAt as number))) });
      const grouped = async (field: string) =>
        sorted((await duckdb(`SELECT coalesce(${field}, '') AS value, count(*) AS count FROM '${path}' GROUP BY 1`)).map(({ value, count }) => [String(value), Number(count)]));
      expect(await grouped("locationCountry")).toEqual(known(await daybook.aggregate({ field: "location_country" })));
      expect(await grouped("metadata->>'$.plan'")).toEqual(known(await daybook.aggregate({ metadataField: "plan" })));
      const types = await duckdb(`SELECT column_name AS name, column_type AS type FROM (DESCRIBE SELECT id, "createdAt", notify, value, metadata FROM '${path}')`);
      expect(types.map(({ name, type }) => `${String(name)} ${String(type)}`)).toEqual(["id VARCHAR", "createdAt TIMESTAMP WITH TIME ZONE", "notify BOOLEAN", "value DOUBLE", "metadata JSON"]);
    });
  });

  test("Polars counts the same events, users, values and metadata in it", async () => {
    await withFile("events.parquet", bytes, async (path) => {
      const frame = pl.readParquet(path);
      expect(frame.height).toBe(3_000);
      expect(frame.getColumn("userId").dropNulls().nUnique()).toBe(new Set(events.flatMap(({ userId }) => userId ?? [])).size);
      expect(frame.getColumn("value").sum()).toBeCloseTo(sum, 6);
      const counts = frame.groupBy("locationCountry").agg(pl.col("id").count().alias("count")).toRecords() as { locationCountry: string | null; count: number }[];
      expect(sorted(counts.map(({ locationCountry, count }) => [locationCountry ?? "", count]))).toEqual(known(await daybook.aggregate({ field: "location_country" })));
      const plans = pl.scanParquet(path).select(pl.col("metadata").cast(pl.Utf8).str.jsonPathMatch("$.plan").alias("plan")).collectSync();
      expect(plans.getColumn("plan").nullCount()).toBe(events.filter(({ metadata }) => (metadata as Readonly<Record<string, unknown>> | null | undefined)?.["plan"] === undefined).length);
    });
  });
});
