import { describe, expect, test } from "vitest";
import { Scratch } from "../../../src/core/base/scratch.js";
import { SEQUENCE_COLUMN, TIME_COLUMN } from "../../../src/core/schema/fields.js";
import { denseCodes, type CodeColumn } from "../../../src/storage/column/column.js";
import { MemoryBudget } from "../../../src/storage/segment/memory-budget.js";
import type { Segment } from "../../../src/storage/segment/segment.js";
import { BOTH_ACTORS } from "../../../src/storage/segment/summaries.js";
import { StoreFiles } from "../../../src/store/files/files.js";
import { memoryStorage } from "../../../src/store/storage/memory-storage.js";

const ROW_COUNT = 5_000;
const scattered = (at: number, span: number) => Math.imul(at + 1, 0x9e3779b1) >>> (32 - span);

/** Columns that are stored in every way, each with a look at its codes. */
const columns = new Map<string, CodeColumn>([
  ["userId", { kind: "dense", codes: Uint32Array.from({ length: ROW_COUNT }, (_, at) => scattered(at, 20)) }],
  ["url", { kind: "dense", codes: Uint16Array.from({ length: ROW_COUNT }, (_, at) => scattered(at, 15)) }],
  ["os", { kind: "dense", codes: Uint8Array.from({ length: ROW_COUNT }, (_, at) => scattered(at, 3)) }],
  ["browser", { kind: "dense", codes: Uint8Array.from({ length: ROW_COUNT }, (_, at) => Number(at > 4_000)) }],
  ["m1", { kind: "sparse", rows: Uint32Array.of(3, 77, 4_999), codes: Uint8Array.of(5, 6, 7), rowCount: ROW_COUNT }],
]);
const NAMES = [TIME_COLUMN, SEQUENCE_COLUMN, ...columns.keys(), "referrer"];

async function stored(): Promise<Segment> {
  const times = Int32Array.from({ length: ROW_COUNT }, (_, at) => at * 17 + (at % 5));
  const sequences = Uint32Array.from({ length: ROW_COUNT }, (_, at) => 1 + ((at * 7_919) % ROW_COUNT));
  const files = new StoreFiles(memoryStorage(), new MemoryBudget(1e9));
  const { entry } = await files.writeSegment(1, { day: 20_513, times, ids: new Uint8Array(ROW_COUNT * 16), sequences, columns }, []);
  return await files.openSegment(entry);
}

function loadedOf(segment: Segment, name: string): number[] {
  if (name === TIME_COLUMN) return [...segment.times()];
  return name === SEQUENCE_COLUMN ? [...segment.sequences()] : [...denseCodes(segment.column(name))];
}

describe("a column that is read for one use", () => {
  test.each(NAMES)("%s has the numbers of the loaded column, all of them and those of some rows, however often it is read", async (name) => {
    const [segment, loaded] = [await stored(), await stored()];
    await loaded.load([name]);
    const expected = loadedOf(loaded, name);
    const rows = Uint32Array.of(0, 1, 31, 32, 33, 77, 1_023, 1_024, 4_998, 4_999);
    for (let use = 0; use < 3; use += 1) {
      await Scratch.of(async (scratch) => {
        const once = await segment.readOnce(name, scratch);
        const picked = new Uint32Array(rows.length);
        once.pick(rows, picked);
        expect([...picked]).toEqual(Array.from(rows, (row) => expected[row]));
        expect([...once.all()]).toEqual(expected);
        const wanted = Uint32Array.from(new Set([expected[77], expected[4_999], 8, 2 ** 25].filter((code) => code !== 0))).sort();
        expect([...once.among(wanted)]).toEqual(expected.flatMap((code, row) => (wanted.includes(code) ? [row] : [])));
        const many = Uint32Array.from({ length: ROW_COUNT * 2 }, (_, at) => at * 3 + 1);
        expect([...once.among(many)]).toEqual(expected.flatMap((code, row) => (many.includes(code) ? [row] : [])));
      });
    }
  });

  test("is loaded the second time, unless few rows have it", async () => {
    const segment = await stored();
    const readings: string[] = [];
    for (let use = 0; use < 3; use += 1)
      for (const name of NAMES)
        await Scratch.of(async (scratch) => {
          const reading = segment.readOnce(name, scratch);
          if (reading instanceof Promise) readings.push(name);
          await reading;
          if (use === 0 && name !== "m1") expect(segment.isLoaded(name)).toBe(false);
        });
    const read = NAMES.filter((name) => name !== "referrer");
    expect(readings).toEqual([...read, ...read.filter((name) => name !== "m1")]);
  });

  test("and so is the list of actors", async () => {
    const segment = await stored();
    const held: boolean[] = [];
    for (let use = 0; use < 3; use += 1) {
      await Scratch.of((scratch) => segment.actorLists(BOTH_ACTORS, scratch));
      held.push(segment.cachedActorLists(BOTH_ACTORS) !== null);
    }
    expect(held).toEqual([false, true, true]);
  });
});
