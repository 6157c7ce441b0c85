import { expect, test } from "vitest";
import { LIMITS } from "../../src/base/limits.js";
import { nextTurn } from "../../src/base/turn.js";
import { Missing } from "../../src/derived/missing.js";
import { StoreTable } from "../../src/derived/store-table.js";
import { Head } from "../../src/segment/head.js";
import { MemoryBudget } from "../../src/segment/memory-budget.js";
import type { Rows } from "../../src/segment/rows.js";
import { PROJECT_TEXTS, appendRow, idBytes } from "../segment/rows-of.js";
import { OthersTurns } from "../testing/turns-of-others.js";

/** Notes how many turns others had when it took a segment. */
class NotedTurns extends StoreTable<null> {
  readonly turns = new OthersTurns();
  readonly turnOf: number[] = [];
  /** Of rows of heads. */
  readonly sequences: number[] = [];

  protected known(): null {
    return null;
  }

  protected load(): Promise<null> {
    return Promise.resolve(null);
  }

  protected ofHead(): null {
    return null;
  }

  /** What others do while something is derived from many rows. */
  meanwhile = () => {};

  protected override async ofLongHead(): Promise<null> {
    await nextTurn();
    this.meanwhile();
    return null;
  }

  protected take(rows: Rows): void {
    this.turnOf.push(this.turns.count);
    if (!rows.sealed) this.sequences.push(...rows.sequences());
  }

  protected reset(): void {
    this.turnOf.length = 0;
    this.sequences.length = 0;
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

test("Many rows of heads are taken in turns, each once, while others come.", async () => {
  const table = new NotedTurns(new MemoryBudget(1e9), { readerCount: 1 });
  const heads = [0, 1, 2].map((day) => new Head(day, new MemoryBudget(1e9), PROJECT_TEXTS));
  let sequence = 0;
  const append = (count: number) => {
    for (let at = 0; at < count; at += 1) {
      sequence += 1;
      // Two days at the same time, and then a third one.
      const day = sequence > LIMITS.headPartRowCount ? 2 : sequence % 2;
      appendRow(heads[day] as Head, { ms: 0, id: idBytes(sequence), sequence });
    }
  };
  const takeRows = (missing: Missing) => table.takeRows({ rows: heads.filter(({ rowCount }) => rowCount > 0).map((head) => head.view()), sequence, looked: () => undefined }, missing);
  append(2 * LIMITS.headPartRowCount + 4_000);
  const missing = new Missing();
  expect(takeRows(missing)).toBe(false);
  // Whoever asks meanwhile takes what is left, once it is little.
  const asked: boolean[] = [];
  table.meanwhile = () => {
    append(10);
    asked.push(takeRows(new Missing()));
  };
  await missing.load();
  expect(asked.slice(-2)).toEqual([false, true]);
  table.turns.end();
  expect(new Set(table.turnOf).size).toBeGreaterThanOrEqual(3);
  expect(takeRows(new Missing())).toBe(true);
  expect([...table.sequences].sort((a, b) => a - b)).toEqual(Array.from({ length: sequence }, (_, at) => at + 1));
});

test("A few rows of heads are taken at once.", () => {
  const table = new NotedTurns(new MemoryBudget(1e9), { readerCount: 1 });
  const head = new Head(0, new MemoryBudget(1e9), PROJECT_TEXTS);
  for (let sequence = 1; sequence <= 100; sequence += 1) appendRow(head, { ms: 0, id: idBytes(sequence), sequence });
  expect(table.takeRows({ rows: [head.view()], sequence: 100, looked: () => undefined }, new Missing())).toBe(true);
  expect(table.sequences).toHaveLength(100);
  table.turns.end();
});
