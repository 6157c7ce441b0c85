import { expect, test } from "vitest";
import { Scratch } from "../../src/base/scratch.js";

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
  // Also of a question that failed.
  await Scratch.of((scratch) => {
    const buffers = [scratch.take(COUNT).buffer, scratch.take(COUNT).buffer, scratch.take(COUNT).buffer];
    expect(buffers).toContain(first);
    expect(new Set(buffers).size).toBe(3);
    return Promise.resolve();
  });
});
