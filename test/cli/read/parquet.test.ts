import * as zlib from "node:zlib";
import { memoryStorage, openDaybook } from "daybook";
import { describe, expect, test } from "vitest";
import { load } from "../../../src/cli/load.js";
import { readParquet } from "../../../src/cli/read/columnar.js";
import type { ImportRow } from "../../../src/cli/read/row.js";
import { duckdb, parquetOf, withFile } from "../../formats/parquet/files.js";
import { rowsOf } from "./source.js";

const ROWS = `SELECT * FROM (VALUES
  ('a', TIMESTAMPTZ '2026-03-01 09:30:00+00', 12.50::DECIMAL(9, 2), {'deep': [1, 2], 'at': TIMESTAMP '2026-03-01 00:00:00'}, 9007199254740993::BIGINT, 'pro'),
  ('b', TIMESTAMPTZ '1970-01-01 00:00:00.005+00', NULL, NULL, 7, NULL),
  ('c', NULL, NULL, NULL, 7, NULL)
) AS t("Name", "Created At", value, more, big, "metadata.plan")`;

/** The rows of a file that DuckDB writes. */
function written(options: string, select = ROWS): Promise<ImportRow[]> {
  return withFile("other.parquet", null, async (path) => {
    await duckdb(`COPY (${select}) TO '${path}' (FORMAT parquet, ${options})`);
    return await rowsOf(readParquet(path, "set")) as ImportRow[];
  });
}

const EVENTS = [
  { name: "a", createdAt: Date.UTC(2026, 2, 1, 9, 30), value: 12.5, metadata: { more: { deep: [1, 2], at: "2026-03-01T00:00:00.000Z" }, big: "9007199254740993", plan: "pro" } },
  { name: "b", createdAt: "1970-01-01T00:00:00.005Z", metadata: { big: 7 } },
];

describe("readParquet", () => {
  test("keeps the digits of integers beyond 2^53 in JSON text and in nested columns", async () => {
    const select = `SELECT 'a' AS name, TIMESTAMPTZ '2026-03-01 09:30:00+00' AS created_at, 18446744073709551615::UBIGINT AS "userId", '{"n":9007199254740993}'::JSON AS metadata, '[9007199254740993,7]'::JSON AS list, {'deep': [9007199254740995::BIGINT]} AS more`;
    expect(await written("CODEC 'snappy'", select)).toMatchObject([
      { event: { userId: "18446744073709551615", metadata: { n: "9007199254740993", list: ["9007199254740993", 7], more: { deep: ["9007199254740995"] } } } },
    ]);
  });

  test.each(["uncompressed", "snappy", "gzip", "brotli"])("takes columns of every kind, from files of others compressed with %s", async (codec) => {
    const rows = await written(`CODEC '${codec}'`);
    const events = EVENTS.map((event, at) => ({ line: at + 1, event: { ...event, id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string } }));
    expect(rows).toEqual([...events, { line: 3, reason: "createdAt: expected a time, got none" }]);
  });

  test("reads Zstandard where this Node can, and else names it", async () => {
    const rows = written("CODEC 'zstd'");
    if ("zstdDecompressSync" in zlib) expect(await rows).toHaveLength(3);
    else await expect(rows).rejects.toThrow(/other\.parquet: it is compressed with ZSTD, which is not supported; expected one of UNCOMPRESSED, SNAPPY, GZIP, BROTLI$/);
  });

  test.each([
    ["LZ4", "CODEC 'lz4_raw'", "SELECT 'a' AS name", /other\.parquet: it is compressed with LZ4_RAW, which is not supported/],
    ["a slip in a name", "CODEC 'snappy'", "SELECT 'a' AS name, 1 AS creatdAt", /other\.parquet: the column "creatdAt" looks like createdAt: rename it to that, or to metadata\.creatdAt for a metadata key$/],
    ["times of day", "CODEC 'snappy'", "SELECT 'a' AS name, TIME '09:30:00' AS noon", /other\.parquet: column noon: events cannot have values of type TIME; write them as numbers or text$/],
    ["long decimals", "CODEC 'snappy'", "SELECT 'a' AS name, 1::DECIMAL(30, 2) AS sum", /other\.parquet: column sum: events cannot have values of type DECIMAL of 30 digits; /],
  ])("refuses %s in words", async (_, options, select, message) => {
    await expect(written(options, select)).rejects.toThrow(message);
  });

  test("a bad row is rejected by its number, and twice imported nothing is added", async () => {
    await withFile("events.parquet", null, async (path) => {
      await duckdb(`COPY (SELECT CASE WHEN n % 700 = 699 THEN '' ELSE 'visit' END AS name, 1772323200000 + n AS "createdAt" FROM range(1500) t(n)) TO '${path}' (FORMAT parquet)`);
      const daybook = await openDaybook({ storage: memoryStorage() });
      const reason = 'name: expected 1 to 200 characters, got ""';
      const rejected = { rejected: 2, rejections: [{ line: 700, reason }, { line: 1_400, reason }] };
      expect(await load(daybook, readParquet(path, "set"))).toMatchObject({ accepted: 1_498, duplicates: 0, ...rejected });
      expect(await load(daybook, readParquet(path, "set"))).toMatchObject({ accepted: 0, duplicates: 1_498, ...rejected });
    });
  });

  test("passes identity ids over", async () => {
    const daybook = await openDaybook({ storage: memoryStorage() });
    await daybook.ingest([{ id: "1", name: "visit", userId: "ann", createdAt: new Date(2) }, { id: "2", name: "visit", createdAt: new Date(3) }]);
    const { identityId } = await daybook.identityProfile({ userId: "ann" });
    const bytes = await parquetOf(daybook, { identityIds: true });
    expect(Buffer.from(bytes).includes(identityId)).toBe(true);
    const copy = await openDaybook({ storage: memoryStorage() });
    await withFile("events.parquet", bytes, async (path) => {
      expect(await load(copy, readParquet(path, "set"))).toMatchObject({ accepted: 2, rejected: 0 });
    });
    expect(await parquetOf(copy)).toEqual(await parquetOf(daybook));
  });
});
