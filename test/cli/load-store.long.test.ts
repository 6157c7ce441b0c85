import { memoryStorage, openDaybook } from "daybook";
import { expect, test } from "vitest";
import { loadStore } from "../../src/cli/load-store.js";
import type { ClickHouseDaybook } from "../../src/clickhouse/stored-daybook.js";
import type { LoadedParts } from "../../src/clickhouse/tables/migrate.js";

test("Long rows go in shorter inserts than short ones, for a statement is one text.", async () => {
  const store = await openDaybook({ storage: memoryStorage() });
  const createdAt = Date.parse("2026-02-01T00:00:00Z");
  const text = "x".repeat(24_000);
  for (let from = 0; from < 3_000; from += 500)
    await store.ingest(Array.from({ length: 500 }, (_, at) => ({ name: "long", createdAt: createdAt + from + at, metadata: { text } })));
  const sent: number[] = [];
  // Of both only what a load calls.
  const target = {
    ingestRecords: () => Promise.resolve({ accepted: 0, duplicates: 0, rejected: [], adjusted: [] }),
    ingest: (events: readonly unknown[]) => {
      sent.push(events.length);
      return Promise.resolve({ accepted: events.length, duplicates: 0, rejected: [], adjusted: [] });
    },
  } as unknown as ClickHouseDaybook;
  const parts = { known: () => Promise.resolve(new Map()), add: () => Promise.resolve() } as unknown as LoadedParts;
  await loadStore(store, target, parts, { from: null, to: null, reloadAll: false, onProgress: () => undefined });
  await store.close();
  expect(sent.reduce((sum, count) => sum + count, 0)).toBe(3_000);
  expect(sent).toHaveLength(2);
});
