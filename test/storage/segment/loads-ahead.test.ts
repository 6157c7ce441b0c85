/* eslint-disable @typescript-eslint/no-non-null-assertion -- there are so many of them */
import { expect, test } from "vitest";
import { Prefetch } from "../../../src/storage/segment/prefetch.js";
import type { Rows } from "../../../src/storage/segment/rows.js";

/** Segments that are nothing but pinned or not, and what was begun of them. */
function segments(count: number) {
  const pins = new Array<number>(count).fill(0);
  const begun: number[] = [];
  const all = pins.map((_, at) => ({ pin: () => void (pins[at] = (pins[at] ?? 0) + 1), unpin: () => void (pins[at] = (pins[at] ?? 0) - 1) }) as Rows);
  const load = (rows: Rows) => {
    const at = all.indexOf(rows);
    begun.push(at);
    return at === 1 ? null : at === 3 ? Promise.reject(new Error("damaged")) : Promise.resolve();
  };
  return { all, begun, pins, ahead: new Prefetch(all.slice(0, -1), load) };
}

test("What is passed over is not loaded.", async () => {
  const { all, begun, pins, ahead } = segments(12);
  await ahead.of(all[0]!);
  await ahead.of(all[9]!);
  expect(begun).toEqual([0, 1, 2, 3, 9, 10]);
  ahead.release();
  expect(pins).toEqual(new Array(12).fill(0));
});

test("The next three segments are on their way while one is looked at, each once, and pinned until it is asked for.", async () => {
  const { all, begun, pins, ahead } = segments(8);
  await ahead.of(all[0]!);
  expect(begun).toEqual([0, 1, 2, 3]);
  expect(pins).toEqual([0, 1, 1, 1, 0, 0, 0, 0]);
  expect(ahead.of(all[1]!)).toBeNull();
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  await expect(ahead.of(all[3]!)).rejects.toThrow("damaged");
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6]);
  await ahead.of(all[7]!);
  expect(begun.at(-1), "rows that nobody foretold").toBe(7);
  ahead.release();
  expect(pins).toEqual(new Array(8).fill(0));
});
