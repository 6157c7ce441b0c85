import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { IdTable } from "../../src/store/batch/id-table.js";
import { agree } from "../agree.js";
import { baseSeed, caseCount } from "../oracle/settings.js";

/** Bytes of an id that is unlike every other number's. */
function idOf(number: number): Uint8Array {
  const id = new Uint8Array(16);
  new DataView(id.buffer).setUint32(0, number);
  id[15] = number & 255;
  return id;
}

const ofOneProject = () => "shop";

function added(table: IdTable, from: number, to: number): IdTable {
  table.reserve(to - from);
  for (let number = from; number < to; number += 1) {
    table.probe(idOf(number), 1, ofOneProject);
    table.addSeen(0);
  }
  return table;
}

function has(table: IdTable, number: number): boolean {
  table.probe(idOf(number), 1, ofOneProject);
  return table.hasSeen(0);
}

function matches(table: IdTable, from: number, to: number): number {
  let count = 0;
  for (let number = from; number < to; number += 1) if (has(table, number)) count += 1;
  return count;
}

describe("the fingerprints of ids", () => {
  test("know every id that was added, however often the table grew, and next to none that was not", () => {
    const table = new IdTable(42);
    for (let from = 0; from < 60_000; from += 5_000) {
      added(table, from, from + 5_000);
      table.keep();
    }
    expect(matches(table, 0, 60_000)).toBe(60_000);
    expect(matches(table, 60_000, 200_000)).toBe(0);
    expect(table.byteLength / 60_000).toBeLessThan(14);
  });

  test("tell the same id of one project from that of another", () => {
    const table = new IdTable(42);
    table.reserve(2);
    const twice = Uint8Array.from([...idOf(7), ...idOf(7)]);
    table.probe(twice, 2, (row) => (row === 0 ? "shop" : "blog"));
    table.addSeen(0);
    expect([table.hasSeen(0), table.hasSeen(1)]).toEqual([true, false]);
    table.probe(twice, 2, () => "shop");
    expect([table.hasSeen(0), table.hasSeen(1)]).toEqual([true, true]);
  });

  test("are moved a few at a time: a table that grows halts nobody", () => {
    // As at opening: all at once.
    const table = added(new IdTable(42), 0, 100_000);
    table.keep();
    for (let from = 100_000; from < 300_000; from += 100) {
      const before = table.byteLength;
      added(table, from, from + 100);
      table.keep();
      expect(table.byteLength / before).toBeLessThan(1.07);
    }
  });

  test("forget exactly what was added since the last keep", () => {
    const counts = fc.array(fc.record({ count: fc.nat({ max: 3_000 }), keep: fc.boolean() }), { maxLength: 12 });
    fc.assert(
      fc.property(counts, (rounds) => {
        const table = new IdTable(7);
        let next = 0;
        const kept: [number, number][] = [];
        const gone: [number, number][] = [];
        for (const { count, keep } of rounds) {
          added(table, next, next + count);
          if (keep) table.keep();
          else table.undo();
          (keep ? kept : gone).push([next, next + count]);
          next += count;
        }
        for (const [from, to] of kept) expect(matches(table, from, to)).toBe(to - from);
        for (const [from, to] of gone) expect(matches(table, from, to)).toBe(0);
      }),
      { seed: baseSeed, numRuns: caseCount(8, 40) },
    );
  });

  test("undo nothing twice", () => {
    const table = added(new IdTable(1), 0, 10);
    table.undo();
    table.undo();
    added(table, 0, 5);
    table.keep();
    table.undo();
    expect(matches(table, 0, 10)).toBe(5);
  });

  test("keep the oldest, as many as are told", () => {
    const table = added(new IdTable(1), 0, 10);
    table.keep(4);
    table.undo();
    expect([matches(table, 0, 4), matches(table, 4, 10)]).toEqual([4, 0]);
  });

  test("that came to nothing take no room", () => {
    const table = new IdTable(1);
    const byteLengths = Array.from({ length: 50 }, () => {
      added(table, 0, 1_000).undo();
      return table.byteLength;
    });
    expect(new Set(byteLengths).size).toBe(1);
  });

  test("are known, and taken back, even where more came than there was room for", () => {
    const table = new IdTable(9);
    // Room for sixteen.
    added(table, 0, 1).keep();
    const ids = (from: number, to: number) => {
      const bytes = new Uint8Array((to - from) * 16);
      for (let number = from; number < to; number += 1) bytes.set(idOf(number), (number - from) * 16);
      return bytes;
    };
    for (let from = 1_000; from < 31_000; from += 1_000) {
      table.probe(ids(from, from + 1_000), 1_000, ofOneProject);
      for (let index = 0; index < 1_000; index += 1) {
        agree(table.hasSeen(index), false);
        table.addSeen(index);
      }
    }
    expect(matches(table, 1_000, 31_000)).toBe(30_000);
    table.keep(10_000);
    table.undo();
    expect([matches(table, 0, 1), matches(table, 1_000, 11_000), matches(table, 11_000, 31_000)]).toEqual([1, 10_000, 0]);
  });

  test("of several ids that were looked at together are known one by one: those from before, and those that were added since", () => {
    const table = new IdTable(5);
    for (let round = 0; round < 40; round += 1) {
      table.reserve(500);
      // Half of the first round's ids again, and each of this round's twice.
      const numbers = Array.from({ length: 500 }, (_, at) => (at < 100 ? at * 2 : round * 1_000 + (at >> 1)));
      const ids = Uint8Array.from(numbers.flatMap((number) => [...idOf(number)]));
      const known = new Set(numbers.filter((number) => has(table, number)));
      table.probe(ids, 500, ofOneProject);
      numbers.forEach((number, index) => {
        agree(table.hasSeen(index), known.has(number));
        if (!known.has(number)) table.addSeen(index);
        known.add(number);
      });
      for (const number of numbers) agree(has(table, number), true);
      table.keep();
    }
    table.reserve(1);
    table.probe(idOf(999_999), 1, ofOneProject);
    table.addSeen(0);
    table.undo();
    expect([has(table, 999_999), has(table, 2)]).toEqual([false, true]);
  });

  test.each([0, 1, 2, 3, 4])("look at all 16 bytes, %s bytes behind the start of their memory too", (offset) => {
    const table = new IdTable(3);
    table.reserve(1);
    const ids = new Uint8Array(48).map((_, at) => at);
    const seen = (bytes: Uint8Array, at: number) => {
      const moved = new Uint8Array(offset + bytes.length);
      moved.set(bytes, offset);
      table.probe(moved.subarray(offset + at), 1, ofOneProject);
      const isSeen = table.hasSeen(0);
      table.probe(Buffer.from(moved.buffer, offset + at), 1, ofOneProject);
      expect(table.hasSeen(0)).toBe(isSeen);
      return isSeen;
    };
    table.probe(ids.slice(16, 32), 1, ofOneProject);
    table.addSeen(0);
    expect([seen(ids, 0), seen(ids, 16), seen(ids, 32)]).toEqual([false, true, false]);
    for (let at = 16; at < 32; at += 1) {
      const other = ids.slice();
      other[at] = 200;
      expect(seen(other, 16), `byte ${at - 16}`).toBe(false);
    }
  });
});
