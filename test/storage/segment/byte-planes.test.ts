import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Yielder } from "../../../src/core/base/yield.js";
import { codesOfBytes } from "../../../src/storage/column/codes.js";
import { fromDeltas, fromPlanes, toDeltas, toPlanes } from "../../../src/storage/segment/byte-planes.js";
import { baseSeed } from "../../oracle/settings.js";

describe("byte planes", () => {
  test("put the least significant bytes of all numbers first", async () => {
    expect([...(await toPlanes(Uint16Array.of(0x1211, 0x2221, 0x3231)))]).toEqual([0x11, 0x21, 0x31, 0x12, 0x22, 0x32]);
    expect([...(await toPlanes(Uint32Array.of(0x04030201, 0x08070605)))]).toEqual([1, 5, 2, 6, 3, 7, 4, 8]);
  });

  test.each([1, 2, 4])("of width %i are taken back to the bytes they came from", async (width) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 50 }), async (bytes) => {
        const whole = bytes.slice(0, bytes.length - (bytes.length % width));
        expect(fromPlanes(await toPlanes(codesOfBytes(whole, width), new Yielder(3)), width)).toEqual(whole);
      }),
      { seed: baseSeed },
    );
  });
});

describe("differences of neighbours", () => {
  test("are small for small steps of either sign", async () => {
    expect([...(await toDeltas(Uint32Array.of(5, 6, 6, 4)))]).toEqual([10, 2, 0, 3]);
  });

  test("add up to the numbers they came from, over the whole range of 32 bits", async () => {
    const numbers = fc.array(fc.oneof(fc.constantFrom(0, 1, 0x7fffffff, 0x80000000, 0xffffffff), fc.integer({ min: 0, max: 0xffffffff })));
    await fc.assert(
      fc.asyncProperty(numbers, async (list) => {
        const values = Uint32Array.from(list);
        expect(fromDeltas(await toDeltas(values, new Yielder(3)))).toEqual(values);
      }),
      { seed: baseSeed },
    );
  });
});
