import { expect, test } from "vitest";
import { Missing } from "../../src/derived/missing.js";
import { StoreTable } from "../../src/derived/store-table.js";
import { MemoryBudget } from "../../src/segment/memory-budget.js";
import type { Rows } from "../../src/segment/rows.js";
import { OthersTurns } from "../testing/turns-of-others.js";

/** Notes how many turns others had when it took a segment. */
class NotedTurns extends StoreTable<null> {
  readonly turns = new OthersTurns();
  readonly turnOf: number[] = [];

  protected known(): null {
    return null;
  }

  protected load(): Promise<null> {
    return Promise.resolve(null);
  }

  protected ofHead(): null {
    return null;
  }

  protected take(): void {
    this.turnOf.push(this.turns.count);
  }

  protected reset(): void {
    this.turnOf.length = 0;
  }

  protected measure(): number {
    return 0;
  }
}

test("Others have a turn between two segments that a table takes, when all are loaded at once too.", async () => {
  const table = new NotedTurns(new MemoryBudget(1e9), { readerCount: 1 });
  // What a table asks of segments.
  const rows = Array.from({ length: 12 }, (_, day) => ({ day, rowCount: 1, sealed: true, firstSequence: day + 1, lastSequence: day + 1 }) as Rows);
  const missing = new Missing();
  expect(table.takeRows({ rows, sequence: 12, looked: () => undefined }, missing)).toBe(false);
  await missing.load();
  table.turns.end();
  expect(table.turnOf).toHaveLength(12);
  expect(new Set(table.turnOf).size).toBe(12);
});
