import { expect, test } from "vitest";
import { Scan, Slices, type QueryStats } from "../../src/engine/query/scan.js";
import type { Plan } from "../../src/query/queries.js";
import { countEvents } from "../../src/query/reports/events/counts.js";
import type { AnyPass, RowContext, RowReport } from "../../src/query/reports/form/report.js";
import { PendingLoads } from "../../src/storage/derived/pending-loads.js";
import { MemoryBudget } from "../../src/storage/segment/memory-budget.js";
import { Catalog, type Snapshot } from "../../src/store/live/catalog.js";
import { PROJECT_TEXTS, appendRow } from "../storage/segment/rows-of.js";

// A count of everything: no dictionary and nobody's identity is asked.
const selector = { all: [], any: [], fromMs: -Infinity, toMs: Infinity, key: "", actorFilter: null, columns: [], testedValueCount: 0 };

/** The count of a snapshot, and the rows that were looked at for it. */
async function ask(snapshot: Snapshot): Promise<[count: number, rowCount: number]> {
  const work: QueryStats = { segmentCount: 0, prunedCount: 0, cachedCount: 0, rowCount: 0, loadCount: 0, dictionaryValueCount: 0 };
  const plan = { report: "countEvents" } as Plan<"countEvents">;
  const { passes: [pass] } = (countEvents as RowReport<typeof plan, number>).prepare(plan, {} as RowContext, new PendingLoads()) ?? { passes: [] };
  const scan = new Scan(pass as AnyPass, [selector], work, new Slices(undefined));
  const { count } = (await scan.stateOf(snapshot)) as { readonly count: number };
  return [count, work.rowCount];
}

test("A query that began before a commit, and goes on behind a later one, counts its own rows, and the later answer stays known.", async () => {
  const catalog = new Catalog(new MemoryBudget(1e9), PROJECT_TEXTS);
  const append = (day: number, rowCount: number) => {
    for (let row = 0; row < rowCount; row += 1) appendRow(catalog.head(day), { ms: row, id: new Uint8Array(16), sequence: row + 1 });
    catalog.changed();
    return catalog.snapshot(1);
  };
  append(3, 10);
  const early = append(4, 20);
  const grown = append(4, 5);
  const later = append(2, 7);
  expect(await ask(later)).toEqual([42, 42]);
  expect(await ask(early), "a head grew since: it is looked through").toEqual([30, 20]);
  expect(await ask(grown), "another head came since: days without it are known").toEqual([35, 0]);
  expect(await ask(later)).toEqual([42, 0]);
  expect(await ask(append(2, 1))).toEqual([43, 1]);
});
