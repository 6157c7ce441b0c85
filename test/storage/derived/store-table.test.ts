import { expect, test } from "vitest";
import { LIMITS } from "../../../src/core/base/limits.js";
import { yieldToEventLoop } from "../../../src/core/base/yield.js";
import { PendingLoads } from "../../../src/storage/derived/pending-loads.js";
import { StoreTable } from "../../../src/storage/derived/store-table.js";
import { Head } from "../../../src/storage/segment/head.js";
import { MemoryBudget } from "../../../src/storage/segment/memory-budget.js";
import type { Rows } from "../../../src/storage/segment/rows.js";
import { PROJECT_TEXTS, appendRow, idBytes } from "../segment/rows-of.js";
import { OthersTurns, turnsOfOthers } from "../../testing/turns-of-others.js";

type Derived = object;

/** Notes how many turns others had when it took a segment. */
class NotedTurns extends StoreTable<Derived> {
  readonly turns = new OthersTurns();
  readonly turnOf: number[] = [];
  /** Of rows of heads. */
  readonly sequences: number[] = [];

  protected known(segment: Rows): Derived | null {
    return this.knows(segment) ? {} : null;
  }

  protected load(): Promise<Derived> {
    return Promise.resolve({});
  }

  protected ofHead(): Derived {
    return {};
  }

  /** What others do while something is derived from many rows. */
  meanwhile = () => {};
  isHeadMadeAtOnce = false;
  /** Of which segments what is derived is in memory. */
  knows: (segment: Rows) => boolean = () => false;
  readonly segments: Rows[] = [];

  protected override async ofLongHead(): Promise<Derived> {
    if (!this.isHeadMadeAtOnce) await yieldToEventLoop();
    this.meanwhile();
    return {};
  }

  protected take(rows: Rows): void {
    this.turnOf.push(this.turns.count);
    if (rows.sealed) this.segments.push(rows);
    else this.sequences.push(...rows.sequences());
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
  const pending = new PendingLoads();
  expect(table.takeRows({ rows, sequence: 12, onRowsRead: () => undefined }, pending)).toBe(false);
  await pending.load();
  table.turns.end();
  expect(table.turnOf).toHaveLength(12);
  expect(new Set(table.turnOf).size).toBe(12);
});

test("Many rows of heads are taken in turns, each once, while others come.", async () => {
  const table = new NotedTurns(new MemoryBudget(1e9), { readerCount: 1 });
  const heads = [0, 1, 2, 3, 4].map((day) => new Head(day, new MemoryBudget(1e9), PROJECT_TEXTS));
  const length = LIMITS.headPartRowCount;
  let sequence = 0;
  const append = (count: number) => {
    for (let at = 0; at < count; at += 1) {
      sequence += 1;
      // Two days at the same time, and then one after the other.
      const day = sequence <= length ? sequence % 2 : 1 + Math.ceil(sequence / length - 1);
      appendRow(heads[day] as Head, { ms: 0, id: idBytes(sequence), sequence });
    }
  };
  const takeRows = (pending: PendingLoads) => table.takeRows({ rows: heads.filter(({ rowCount }) => rowCount > 0).map((head) => head.view()), sequence, onRowsRead: () => undefined }, pending);
  append(3 * length + 4_000);
  const pending = new PendingLoads();
  expect(takeRows(pending)).toBe(false);
  // Whoever asks meanwhile takes what is left, once it is little.
  const asked: boolean[] = [];
  table.meanwhile = () => {
    append(10);
    asked.push(takeRows(new PendingLoads()));
  };
  await pending.load();
  expect(asked.slice(-2)).toEqual([false, true]);
  table.turns.end();
  expect(new Set(table.turnOf).size).toBeGreaterThanOrEqual(3);
  expect(takeRows(new PendingLoads())).toBe(true);
  expect([...table.sequences].sort((a, b) => a - b)).toEqual(Array.from({ length: sequence }, (_, at) => at + 1));
});

test("A few rows of heads are taken at once.", () => {
  const table = new NotedTurns(new MemoryBudget(1e9), { readerCount: 1 });
  const head = new Head(0, new MemoryBudget(1e9), PROJECT_TEXTS);
  for (let sequence = 1; sequence <= 100; sequence += 1) appendRow(head, { ms: 0, id: idBytes(sequence), sequence });
  expect(table.takeRows({ rows: [head.view()], sequence: 100, onRowsRead: () => undefined }, new PendingLoads())).toBe(true);
  expect(table.sequences).toHaveLength(100);
  table.turns.end();
});

test("Where more rows come than are taken in turns, a query that waited takes them at once.", async () => {
  const table = new NotedTurns(new MemoryBudget(1e9), { readerCount: 1 });
  const head = new Head(0, new MemoryBudget(1e9), PROJECT_TEXTS);
  let sequence = 0;
  const append = (count: number) => {
    for (let at = 0; at < count; at += 1) appendRow(head, { ms: 0, id: idBytes((sequence += 1)), sequence });
  };
  append(10_000);
  table.meanwhile = () => append(10_000);
  let tryCount = 1;
  for (; tryCount < 5; tryCount += 1) {
    const pending = new PendingLoads();
    if (table.takeRows({ rows: [head.view()], sequence, onRowsRead: () => undefined }, pending)) break;
    await pending.load();
  }
  table.turns.end();
  expect(tryCount).toBe(2);
  expect([...table.sequences].sort((a, b) => a - b)).toEqual(Array.from({ length: sequence }, (_, at) => at + 1));
});

test("Thousands of heads of a row each are taken in a few turns.", async () => {
  const table = new NotedTurns(new MemoryBudget(1e9), { readerCount: 1 });
  const heads = Array.from({ length: 6_000 }, (_, day) => {
    const head = new Head(day, new MemoryBudget(1e9), PROJECT_TEXTS);
    appendRow(head, { ms: 0, id: idBytes(day), sequence: day + 1 });
    return head.view();
  });
  const pending = new PendingLoads();
  expect(table.takeRows({ rows: heads, sequence: 6_000, onRowsRead: () => undefined }, pending)).toBe(false);
  table.isHeadMadeAtOnce = true;
  const turns = await turnsOfOthers(() => pending.load());
  table.turns.end();
  expect(table.sequences).toHaveLength(6_000);
  expect(turns).toBeLessThan(10);
});

test("Of a head whose rows were sealed while they are taken in turns each is taken once.", async () => {
  const table = new NotedTurns(new MemoryBudget(1e9), { readerCount: 1 });
  const head = new Head(0, new MemoryBudget(1e9), PROJECT_TEXTS);
  for (let sequence = 1; sequence <= 6_000; sequence += 1) appendRow(head, { ms: 0, id: idBytes(sequence), sequence });
  const sequences = Uint32Array.from({ length: 6_000 }, (_, at) => at + 1);
  const segment = { day: 0, rowCount: 6_000, sealed: true, firstSequence: 1, lastSequence: 6_000, sequences: () => sequences } as Partial<Rows> as Rows;
  const looked = () => undefined;
  table.knows = () => true;
  // The segment is taken, and what else is missing keeps the query from all rows.
  const other = { ...segment, day: 1, firstSequence: 6_001, lastSequence: 6_001 } as Rows;
  table.meanwhile = () => {
    table.meanwhile = () => {};
    table.knows = (rows) => rows === segment;
    expect(table.takeRows({ rows: [segment, other], sequence: 6_001, onRowsRead: looked }, new PendingLoads())).toBe(false);
  };
  const pending = new PendingLoads();
  expect(table.takeRows({ rows: [head.view()], sequence: 6_000, onRowsRead: looked }, pending)).toBe(false);
  await pending.load();
  table.turns.end();
  expect(table.sequences).toEqual([]);
  expect(table.segments).toEqual([segment]);
});
