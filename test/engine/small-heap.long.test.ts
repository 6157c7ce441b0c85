import { expect, test } from "vitest";
import { emptyDirectory, startProgram } from "../cli/run.js";

const MIB = 2 ** 20;

test.each([
  ["url", 30, 256],
  ["id", 16, 256],
  ["metadata", 300, 256],
  ["url", 30, 512],
] as const)("Values of two bytes a character, of %s and %i characters, are refused before a heap of %i MiB ends.", async (kind, charCount, heapMib) => {
  const { code, stdout, stderr } = await startProgram("test/engine/small-heap.ts", [await emptyDirectory(), kind, String(charCount)], { flags: [`--max-old-space-size=${heapMib}`] }).finished;
  expect([code, stderr]).toEqual([0, ""]);
  const { byteLength, byteLengthMax, message } = JSON.parse(stdout) as { byteLength: number; byteLengthMax: number; message: string };
  process.stdout.write(stdout);
  expect(byteLengthMax).toBeGreaterThan((heapMib / 4) * MIB);
  expect(byteLengthMax).toBeLessThan((heapMib / 2) * MIB);
  expect(byteLength).toBeGreaterThan(byteLengthMax);
  expect(byteLength).toBeLessThan(byteLengthMax + MIB);
  expect(message).toContain(`would exceed this store's limit of ${byteLengthMax} bytes of distinct values`);
});
