import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Yielder } from "../../../src/core/base/yield.js";
import { mergeRows, rankRows } from "../../../src/storage/segment/merge-rows.js";
import { baseSeed } from "../../oracle/settings.js";
import { appendRow, headOf, idBytes, inOrder, plain, plainRows, type PlainRow } from "./rows-of.js";

const row: PlainRow = { ms: 0, id: 0, sequence: 0, name: 1, url: 0, metadata: {} };

/** Few enough values that short lists are worked on in several pieces, and as many as they are in earnest. */
const pieceLength = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constant(128 * 1024));

const noProject = () => "";
/** The first two rows share a time. */
const orderOf = (ids: readonly number[], projects: readonly string[] = []) => ({
  times: Int32Array.of(1, 1, 2),
  ids: Uint8Array.from(ids.flatMap((id) => [...idBytes(id)])),
  projectOf: (row: number) => projects[row] ?? "",
});

describe("the order of rows", () => {
  test("is that of time, then of the id as a 128-bit number", async () => {
    await fc.assert(
      fc.asyncProperty(plainRows, pieceLength, async (rows, length) => {
        const times = Int32Array.from(rows, ({ ms }) => ms);
        const ids = Uint8Array.from(rows.flatMap(({ id }) => [...idBytes(id)]));
        const ranks = (await rankRows({ times, ids, projectOf: noProject }, new Yielder(length))) ?? Uint32Array.from(rows.keys());
        const placed: PlainRow[] = [];
        rows.forEach((one, at) => (placed[ranks[at] ?? -1] = one));
        expect(placed.map(({ ms, id }) => [ms, id])).toEqual(inOrder(rows).map(({ ms, id }) => [ms, id]));
        expect([...ranks].sort((a, b) => a - b)).toEqual([...rows.keys()]);
      }),
      { seed: baseSeed, numRuns: 300 },
    );
  });

  test("is that of the ids where very many rows have the same time, whichever of their bytes differ", async () => {
    const count = 3_000;
    for (const differing of [0, 2, 3, 11, 14]) {
      const ids = new Uint8Array(count * 16).fill(7);
      for (let row = 0; row < count; row += 1) {
        ids[row * 16 + differing] = ((row * 7_919) % count) >>> 8;
        ids[row * 16 + differing + 1] = ((row * 7_919) % count) & 255;
      }
      const ranks = await rankRows({ times: new Int32Array(count), ids, projectOf: noProject }, new Yielder(100));
      expect([...(ranks ?? [])]).toEqual(Array.from({ length: count }, (_, row) => (row * 7_919) % count));
    }
  });

  test("is that of the projects where rows share time and id, also where very many do", async () => {
    expect(await rankRows(orderOf([1, 1, 1], ["shop", "blog", "app"]))).toEqual(Uint32Array.of(1, 0, 2));
    expect(await rankRows(orderOf([1, 1, 1], ["blog", "shop", "app"]))).toBe(null);
    const count = 2_000;
    const projectOf = (row: number) => String((row * 7_919) % count).padStart(4, "0");
    const ranks = await rankRows({ times: new Int32Array(count), ids: new Uint8Array(count * 16).fill(7), projectOf }, new Yielder(100));
    expect([...(ranks ?? [])]).toEqual(Array.from({ length: count }, (_, row) => (row * 7_919) % count));
  });

  test("is told where rows stand in it already, without a sort", async () => {
    expect(await rankRows(orderOf([1, 2, 1]))).toBe(null);
    expect(await rankRows(orderOf([2, 1, 1]))).toEqual(Uint32Array.of(1, 0, 2));
  });
});

describe("merging rows", () => {
  test("keeps every row of every source, in order, with all its codes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(plainRows, { minLength: 1, maxLength: 4 }), pieceLength, async (parts, length) => {
        const merged = await mergeRows(parts.map((part) => headOf(part).view()), new Yielder(length));
        const found = plain(merged);
        expect(found.map(({ ms, id }) => [ms, id])).toEqual(inOrder(parts.flat()).map(({ ms, id }) => [ms, id]));
        expect(inOrder(found)).toEqual(inOrder(parts.flat()));
      }),
      { seed: baseSeed, numRuns: 300 },
    );
  });

  test("keeps a column sparse where fewer than an eighth of the rows have it, dense where more do", async () => {
    const rows = (withKey: number) =>
      Array.from({ length: 80 }, (_, at) => ({ ...row, id: 80 - at, metadata: at < withKey ? { 1: at + 1 } : {} }));
    expect((await mergeRows([headOf(rows(9)).view()])).columns.get("m1")).toMatchObject({
      kind: "sparse", rows: Uint32Array.from({ length: 9 }, (_, at) => 71 + at), codes: Uint8Array.of(9, 8, 7, 6, 5, 4, 3, 2, 1),
    });
    expect((await mergeRows([headOf(rows(10)).view()])).columns.get("m1")?.kind).toBe("dense");
  });

  test("makes a column as narrow as the codes that are left allow", async () => {
    const wide = headOf([{ ...row, url: 70_000 }]).view();
    const narrow = headOf([{ ...row, url: 3 }, { ...row, url: 200 }]).view();
    expect((await mergeRows([narrow])).columns.get("url")).toEqual({ kind: "dense", codes: Uint8Array.of(3, 200) });
    const codes = (await mergeRows([narrow, wide])).columns.get("url");
    expect(codes?.kind === "dense" && codes.codes.BYTES_PER_ELEMENT).toBe(4);
  });

  test("does not read what was appended to a head after the view was taken", async () => {
    const head = headOf([row]);
    const view = head.view();
    appendRow(head, { ms: 9, id: idBytes(1), sequence: 9, metadata: { 3: 1 } });
    expect(plain(await mergeRows([view]))).toEqual([row]);
    expect([view.rowCount, head.view().rowCount, view.maxMs, head.view().maxMs]).toEqual([1, 2, 0, 9]);
  });
});
