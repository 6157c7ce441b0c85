import { expect, test } from "vitest";
import { runAtOnce, runYielding, piecesOf, type Steps } from "../../../src/core/base/yield.js";

function* sumOf(count: number, pieces: [number, number][] = []): Steps<number> {
  let sum = 0;
  yield* piecesOf(count, 1_000, (from, to) => {
    pieces.push([from, to]);
    for (let at = from; at < to; at += 1) sum += at;
  });
  return sum;
}

test("Work in steps comes to the same at once and in turns, with a pause behind each piece.", async () => {
  const pieces: [number, number][] = [];
  let pauseCount = 0;
  const pause = () => {
    pauseCount += 1;
    return Promise.resolve();
  };
  expect(await runYielding(sumOf(2_500, pieces), pause)).toBe(runAtOnce(sumOf(2_500)));
  expect(pieces).toEqual([[0, 1_000], [1_000, 2_000], [2_000, 2_500]]);
  expect(pauseCount).toBe(3);
});

test("Work ends with the pause that throws.", async () => {
  const pieces: [number, number][] = [];
  await expect(runYielding(sumOf(2_500, pieces), () => Promise.reject(new Error("stopped")))).rejects.toThrow("stopped");
  expect(pieces).toHaveLength(1);
});
