import fc from "fast-check";
import { expect, test } from "vitest";
import { Scratch } from "../../../src/core/base/scratch.js";
import { CoalescedReads } from "../../../src/storage/segment/coalesced-reads.js";
import { baseSeed } from "../../oracle/settings.js";

const MIB = 1024 * 1024;

/** Ranges of an object of some bytes, each of which tells where it lies; and what was read of it. */
function readsOf(byteLength: number) {
  const object = Uint8Array.from({ length: byteLength }, (_, at) => (at * 31 + (at >>> 8)) & 255);
  const read: (readonly [start: number, end: number])[] = [];
  const reads = new CoalescedReads((start, end, allocate) => {
    read.push([start, end]);
    const bytes = object.subarray(start, end);
    const allocated = allocate(bytes.length);
    allocated.set(bytes);
    return Promise.resolve(allocated);
  });
  return { object, reads, read };
}

test("Every range gets its bytes, fewer where the object ends, however they lie.", async () => {
  const { object, reads } = readsOf(MIB);
  const range = fc.tuple(fc.nat(MIB + 1_000), fc.nat(5_000)).map(([start, length]) => [start, start + length] as const);
  await fc.assert(
    fc.asyncProperty(fc.array(range, { minLength: 1, maxLength: 20 }), async (ranges) => {
      const all = await Promise.all(ranges.map(([start, end]) => reads.of(start, end)));
      for (const [at, [start, end]] of ranges.entries()) expect(Buffer.compare(all[at]?.bytes ?? new Uint8Array(1), object.slice(start, end))).toBe(0);
      for (const borrowed of all) borrowed?.release();
    }),
    { seed: baseSeed, numRuns: 200 },
  );
});

test("The memory of a read is used again once all its ranges are released.", async () => {
  const { object, reads } = readsOf(MIB);
  // Nothing else is free.
  const taken = new Scratch();
  for (let count = 0; count < 64; count += 1) taken.take(4_096);
  const [first, second] = await Promise.all([reads.of(0, 100_000), reads.of(100_000, 200_000)]);
  first?.release();
  const third = await reads.of(300_000, 500_000);
  expect(Buffer.compare(second?.bytes ?? new Uint8Array(1), object.slice(100_000, 200_000))).toBe(0);
  second?.release();
  const fourth = await reads.of(600_000, 800_000);
  expect(Buffer.compare(third?.bytes ?? new Uint8Array(1), object.slice(300_000, 500_000))).toBe(0);
  expect(fourth?.bytes.buffer).toBe(second?.bytes.buffer);
});

test("What lies close is one read, what is asked for later another, and none is longer than 4 MiB.", async () => {
  const { reads, read } = readsOf(8 * MIB);
  await Promise.all([reads.of(200_000, 200_100), reads.of(0, 10), reads.of(100_000, 150_000)]);
  await Promise.all([reads.of(0, 10), reads.of(500_000, 500_001)]);
  await reads.of(20, 30);
  expect(read).toEqual([[0, 200_100], [0, 10], [500_000, 500_001], [20, 30]]);
  read.length = 0;
  await Promise.all(Array.from({ length: 70 }, (_, at) => reads.of(at * 100_000, at * 100_000 + 99_999)));
  expect(read.every(([start, end]) => end - start <= 4 * MIB)).toBe(true);
  expect(read).toHaveLength(2);
});

test("An object that is not there, and one that cannot be read, are told to all who asked.", async () => {
  const gone = new CoalescedReads(() => Promise.resolve(null));
  expect(await Promise.all([gone.of(0, 1), gone.of(2, 3)])).toEqual([null, null]);
  const broken = new CoalescedReads(() => Promise.reject(new Error("no")));
  const atOnce = new CoalescedReads(() => {
    throw new Error("no");
  });
  for (const reads of [broken, atOnce]) {
    const outcomes = await Promise.allSettled([reads.of(0, 1), reads.of(2, 3)]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  }
});
