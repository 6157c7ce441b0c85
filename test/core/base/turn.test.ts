import { expect, test } from "vitest";
import { Yielder } from "../../../src/core/base/yield.js";
import { turnsOfOthers } from "../../testing/turns-of-others.js";

test("Long work is done once, in pieces of the length that was asked for, with a turn for others after each.", async () => {
  const pieces: [number, number][] = [];
  const yielder = new Yielder(1_000);
  const count = await turnsOfOthers(() => yielder.inPieces(3_500, (from, to) => pieces.push([from, to])));
  expect(pieces).toEqual([[0, 1_000], [1_000, 2_000], [2_000, 3_000], [3_000, 3_500]]);
  expect(count).toBeGreaterThanOrEqual(3);
});

test("Work that somebody waits for goes on in longer pieces from there, and loses none.", async () => {
  const pieces: [number, number][] = [];
  const yielder = new Yielder(1_000);
  const hurried = yielder.inPieces(30_000, (from, to) => {
    pieces.push([from, to]);
    if (to === 2_000) yielder.hurry();
  });
  const count = await turnsOfOthers(() => hurried);
  expect(pieces).toEqual([[0, 1_000], [1_000, 2_000], [2_000, 10_000], [10_000, 18_000], [18_000, 26_000], [26_000, 30_000]]);
  expect(count).toBeLessThan(10);
});
