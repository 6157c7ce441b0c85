import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Yielder } from "../../../src/core/base/yield.js";
import { narrowCodes } from "../../../src/storage/column/codes.js";
import { maskCodes, unmaskCodes } from "../../../src/storage/segment/masked-codes.js";
import { baseSeed } from "../../oracle/settings.js";

function unmasked(bytes: Uint8Array, count: number, max: number): number[] | null {
  // What was in memory before must not be seen.
  const codes = unmaskCodes(bytes, count, max, new Uint32Array(count).fill(0xffffffff));
  return codes === null ? null : [...codes];
}

describe("masked codes", () => {
  test("five codes up to 6, three of them 0, have a bit each, and the other two three bits each", async () => {
    const bytes = await maskCodes(Uint8Array.of(0, 6, 0, 0, 3), 6, new Yielder());
    expect([...bytes]).toEqual([0b10010, 0, 0, 0, 0b011_110, 0, 0, 0]);
    expect(unmasked(bytes, 5, 6)).toEqual([0, 6, 0, 0, 3]);
  });

  test.each([0, 1, 31, 32, 33, 64, 5_000])("%d codes of one, two and four bytes come back", async (count) => {
    for (const max of [1, 200, 60_000, 2 ** 24 - 1, 2 ** 32 - 1])
      for (const every of [1, 2, 7, Infinity]) {
        const codes = Array.from({ length: count }, (_, row) => (row % every === 0 ? Math.max(1, (Math.imul(row + 1, 0x9e3779b1) >>> 0) % max) : 0));
        const bytes = await maskCodes(narrowCodes(Uint32Array.from(codes), max), max, new Yielder(10));
        expect(unmasked(bytes, count, max)).toEqual(codes);
      }
  });

  test("any codes come back, and from any bytes there are codes or null", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(fc.constant(0), fc.nat(1_000)), { maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), fc.nat(300), async (codes, bytes, count) => {
        const masked = await maskCodes(narrowCodes(Uint32Array.from(codes), 1_000), 1_000, new Yielder());
        expect(unmasked(masked, codes.length, 1_000)).toEqual(codes);
        if (codes.length > 0) expect(unmasked(masked.subarray(0, masked.length - 4), codes.length, 1_000)).toBeNull();
        expect(unmasked(bytes, count, 1_000)?.length ?? count).toBe(count);
      }),
      { seed: baseSeed, numRuns: 300 },
    );
  });

  test("a bit after the last code is damage", async () => {
    const bytes = await maskCodes(Uint8Array.of(0, 6, 0), 6, new Yielder());
    const forged = Uint8Array.from(bytes);
    forged[0] = 0b1000;
    expect(unmasked(forged, 3, 6)).toBeNull();
  });
});
