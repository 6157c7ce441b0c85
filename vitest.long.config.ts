import { defineConfig } from "vitest/config";
import { alias, filesThat } from "./vitest.config.js";

export const LOAD = "test/cli/overload/*.long.test.ts";

/** Of these the default suite runs some cases. They share their modules there too. */
export const THOROUGH = [
  "test/formats/arrow/events-ipc.test.ts", "test/core/calendar/zone.test.ts", "test/conformance/executor-suite.test.ts", "test/differential/duckdb.test.ts", "test/query/filter/{few-rows,known-fields}.test.ts", "test/http/fuzz/fuzz.test.ts", "test/worked/*.test.ts",
  "test/crash/{backup,crash-images,io-errors}.test.ts", "test/format/{damage,round-trip}.test.ts", "test/property/*.test.ts",
  "test/oracle/insights/*laws.test.ts", "test/oracle/insights/chains.test.ts", "test/query/tables/touches-in-turns.test.ts",
  "test/oracle/{concurrent-queries,links-meanwhile,random-copies,random-oracle,random-persons}.test.ts",
  "test/query/reports/{funnel,revenue-laws,segments}.test.ts", "test/query/reports/insights/{as-of,traits}.test.ts", "test/query/reports/{returns,visits}/*.test.ts",
  "test/store/{backup-beside-writer,crash-deletions,crash-points,crash-records,failing-operations,follow-promises,id-table,salvage,verify}.test.ts",
  // Those that say so themselves: by tests, rows or counts of the default suite and others of the long one.
  ...filesThat(/\b(?:longTest|sliceOf)\b|\b(?:caseCount|strideOf)\([^()]*, /).filter((path) => !path.startsWith("test/clickhouse/")),
];

export default defineConfig({
  resolve: { alias },
  test: {
    globalSetup: "test/programs.ts",
    maxWorkers: 2,
    projects: [
      // Alone, before the others: it measures what a server can do while somebody else sends ten times as much.
      { extends: true, test: { name: "load", include: [LOAD], sequence: { groupOrder: 0 }, ...long() } },
      { extends: true, test: { name: "long", include: ["test/**/*.long.test.ts"], exclude: [LOAD, "node_modules/**"], sequence: { groupOrder: 1 }, ...long() } },
      { extends: true, test: { name: "thorough", include: THOROUGH, isolate: false, ...thorough() } },
    ],
  },
});

/** All histories of a test one after the other may take an hour on a busy machine. */
function long() {
  return { testTimeout: 3_600_000, hookTimeout: 300_000 };
}

function thorough() {
  return { env: { DAYBOOK_THOROUGH: "1" }, sequence: { groupOrder: 1 }, ...long() };
}
