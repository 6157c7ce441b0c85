import { beforeEach, expect, test, vi } from "vitest";
import type * as Fresh from "../../../src/core/base/scratch.js";

let Scratch: typeof Fresh.Scratch;

/** With nothing kept of what others took. */
beforeEach(async () => {
  vi.resetModules();
  ({ Scratch } = await import("../../../src/core/base/scratch.js"));
});

const COUNT = 100_000;

test("Numbers are used again once nobody reads them, and never by two at a time.", async () => {
  const first = await Scratch.of((scratch) => Promise.resolve(scratch.take(COUNT).fill(7).buffer));
  await Scratch.of(async (scratch) => {
    const own = scratch.take(COUNT - 1);
    expect([own.buffer, own.length]).toEqual([first, COUNT - 1]);
    await Scratch.of((other) => {
      expect(other.take(COUNT).buffer).not.toBe(own.buffer);
      return Promise.resolve();
    });
    expect(scratch.takeZeros(COUNT).every((number) => number === 0)).toBe(true);
  });
  await expect(Scratch.of((scratch) => Promise.reject(new Error(`took ${scratch.take(COUNT).length}`)))).rejects.toThrow("took 100000");
  // Also of a query that failed.
  await Scratch.of((scratch) => {
    const buffers = [scratch.take(COUNT).buffer, scratch.take(COUNT).buffer, scratch.take(COUNT).buffer];
    expect(buffers).toContain(first);
    expect(new Set(buffers).size).toBe(3);
    return Promise.resolve();
  });
});

test("What is given back early is used again, and of too much the longest stays.", async () => {
  const MOST = 24 * 1024 * 1024;
  const long = await Scratch.of((scratch) => {
    const numbers = scratch.take(COUNT);
    scratch.release(numbers);
    expect(scratch.take(COUNT - 1).buffer === numbers.buffer).toBe(true);
    return Promise.resolve(scratch.take(MOST).buffer);
  });
  await Scratch.of((scratch) => {
    expect(scratch.take(COUNT).buffer === long).toBe(true);
    expect(scratch.takeFloats(COUNT)).toHaveLength(COUNT);
    return Promise.resolve();
  });
});

test("What is touched for the first time is touched in turns, once; zeros are zeros also where others counted.", async () => {
  let pauseCount = 0;
  const pause = () => Promise.resolve(void (pauseCount += 1));
  await Scratch.of(async (scratch) => {
    (await scratch.takeTouched(COUNT, pause)).fill(7);
    expect(pauseCount).toBeGreaterThan(2);
  });
  await Scratch.of(async (scratch) => {
    const before = pauseCount;
    const again = await scratch.takeTouched(COUNT, pause);
    expect([pauseCount - before, again.every((number) => number === 7)]).toEqual([0, true]);
  });
  await Scratch.of(async (scratch) => {
    const before = pauseCount;
    const zeros = await scratch.zerosYielding(COUNT, pause);
    expect([zeros.length, zeros.every((number) => number === 0), pauseCount - before > 2]).toEqual([COUNT, true, true]);
  });
});
