import { parquetMetadata } from "hyparquet";
import { memoryStorage, type Daybook, type ExportedEvent } from "daybook";
import { generateTraffic, seededRandom } from "daybook/testing";
import { describe, expect, test } from "vitest";
import { hostileHistory } from "../../support/random/hostile-history.js";
import { daybookOf } from "../arrow/stored-rows.js";
import { baseSeed, caseCount } from "../../oracle/settings.js";
import { openAt } from "../../property/law.js";
import { eventsOf, fileOf, parquetOf } from "./files.js";

const DAY_MS = 86_400_000;
const traffic = [...generateTraffic({ seed: 5, eventCount: 600, dayCount: 4, startMs: Date.UTC(2026, 1, 1), projects: ["web", "app"] })];

async function exportedBy(daybook: Daybook): Promise<ExportedEvent[]> {
  const events: ExportedEvent[] = [];
  for await (const event of daybook.exportEvents()) events.push(event);
  return events;
}

describe("export to Parquet", () => {
  test("imported into an empty store it gives every event again", async () => {
    const random = seededRandom(baseSeed);
    for (let round = 0; round < caseCount(2, 20); round += 1) {
      const { daybook } = await daybookOf(hostileHistory(random, 120), 60);
      const copy = await openAt(memoryStorage());
      const { rejected, duplicates } = await copy.ingest(await eventsOf(await parquetOf(daybook)));
      expect({ rejected, duplicates }).toEqual({ rejected: [], duplicates: 0 });
      expect(await exportedBy(copy)).toEqual(await exportedBy(daybook));
    }
  });

  test("a row group holds rows of one day, dictionary-encoded texts, and bounds of each column", async () => {
    const { daybook } = await daybookOf(traffic, 300);
    const { row_groups: groups, created_by: by } = parquetMetadata(fileOf(await parquetOf(daybook)));
    const first = Math.floor((traffic[0]?.createdAt as number) / DAY_MS);
    const rowCounts = [0, 1, 2, 3].map((day) => traffic.filter(({ createdAt }) => Math.floor((createdAt as number) / DAY_MS) === first + day).length);
    expect(groups.map(({ num_rows: count }) => Number(count))).toEqual(rowCounts);
    expect(by).toBe("daybook");
    const chunks = new Map(groups[0]?.columns.map(({ meta_data: chunk }) => [chunk?.path_in_schema.join("."), chunk]));
    expect(chunks.get("name")).toMatchObject({ encodings: ["PLAIN", "RLE_DICTIONARY"], codec: "SNAPPY" });
    expect(chunks.get("createdAt")?.statistics).toMatchObject({ min_value: new Date(traffic[0]?.createdAt as number), null_count: 0n });
    expect(chunks.get("userId")?.statistics?.null_count).toBeGreaterThan(0n);
    expect([...chunks.keys()].filter((name) => chunks.get(name)?.statistics === undefined)).toEqual(["metadata"]);
  });

  test("amounts come again as they were, to the last bit", async () => {
    const values = [0.1, 1e-7, -2.5, 5e-324, 9_007_199_254_740_991, 1.7976931348623157e308, 0];
    const { daybook } = await daybookOf(values.map((value, at) => ({ name: "paid", value, createdAt: new Date(at), metadata: { amount: value } })), 3);
    expect((await eventsOf(await parquetOf(daybook))).map(({ value, metadata }) => [value, metadata])).toEqual(values.map((value) => [value, { amount: value }]));
  });

  test("an export of one project holds no value of another, and of no events every column", async () => {
    const events = [
      { id: "1", name: "open", project: "ours", userId: "ann", createdAt: new Date(1_000), metadata: { a: "our-secret" } },
      { id: "2", name: "hidden-name", project: "theirs", userId: "their-user", createdAt: new Date(2_000), metadata: { b: "their-secret" } },
    ];
    const { daybook } = await daybookOf(events, 1);
    const bytes = Buffer.from(await parquetOf(daybook, { project: "ours" }));
    expect(bytes.includes("our-secret")).toBe(true);
    for (const text of ["hidden-name", "theirs", "their-user", "their-secret"]) expect(bytes.includes(text), text).toBe(false);
    const none = await parquetOf(daybook, { project: "none" });
    expect(parquetMetadata(fileOf(none)).schema).toHaveLength(27);
    expect(await eventsOf(none)).toEqual([]);
  });

  test.each([
    ["nothing", new Uint8Array(0)],
    ["text", Buffer.from("name,createdAt\na,1\n".repeat(20))],
    ["a magic alone", Buffer.from("PAR1".repeat(20))],
  ])("%s is no Parquet file, and refused", async (_, bytes) => {
    await expect(eventsOf(bytes)).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "file", reason: expect.stringMatching(/^expected a whole Parquet file: /) as string } });
  });

  test("a file cut short is refused wherever it is cut", async () => {
    const { daybook } = await daybookOf(traffic.slice(0, 20), 10);
    const bytes = await parquetOf(daybook);
    for (let length = 0; length < bytes.length; length += 97) await expect(eventsOf(bytes.subarray(0, length))).rejects.toMatchObject({ code: "invalid_parameter" });
  });

  test("a row of it that is signalled to stop is the last", async () => {
    const { daybook } = await daybookOf(traffic, 600);
    const controller = new AbortController();
    const pieces = daybook.exportParquet({}, { signal: controller.signal })[Symbol.asyncIterator]();
    await pieces.next();
    controller.abort();
    await expect(pieces.next()).rejects.toMatchObject({ code: "aborted" });
  });
});
