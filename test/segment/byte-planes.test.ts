import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromDeltas, fromPlanes, toDeltas, toPlanes } from "../../src/segment/byte-planes.js";
import { baseSeed } from "../oracle/settings.js";

describe("byte planes", () => {
  test("put the least significant bytes of all numbers first", () => {
    expect([...toPlanes(Uint8Array.of(0x11, 0x12, 0x21, 0x22, 0x31, 0x32), 2)]).toEqual([0x11, 0x21, 0x31, 0x12, 0x22, 0x32]);
    expect([...toPlanes(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), 4)]).toEqual([1, 5, 2, 6, 3, 7, 4, 8]);
  });

  test.each([1, 2, 4])("of width %i are taken back to the bytes they came from", (width) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        const whole = bytes.subarray(0, bytes.length - (bytes.length % width));
        expect(fromPlanes(toPlanes(whole, width), width)).toEqual(whole);
      }),
      { seed: baseSeed },
    );
  });
});

describe("differences of neighbours", () => {
  test("are small for small steps of either sign", () => {
    expect([...toDeltas(Uint32Array.of(5, 6, 6, 4))]).toEqual([10, 2, 0, 3]);
  });

  test("add up to the numbers they came from, over the whole range of 32 bits", () => {
    const numbers = fc.array(fc.oneof(fc.constantFrom(0, 1, 0x7fffffff, 0x80000000, 0xffffffff), fc.integer({ min: 0, max: 0xffffffff })));
    fc.assert(
      fc.property(numbers, (list) => {
        const values = Uint32Array.from(list);
        expect(fromDeltas(toDeltas(values))).toEqual(values);
      }),
      { seed: baseSeed },
    );
  });
});
