import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Yielder } from "../../../src/core/base/yield.js";
import { allocateCodes } from "../../../src/storage/column/codes.js";
import { toDeltas } from "../../../src/storage/segment/byte-planes.js";
import { PackedCodes, packCodes, packDeltas, unpackCodes, unpackDeltas } from "../../../src/storage/segment/packed-numbers.js";
import { baseSeed } from "../../oracle/settings.js";

const yielder = new Yielder();

/** Codes that nearly fill one or two bytes have whole bytes. */
const WHOLE_BYTE_BITS = new Map([[7, 8], [14, 16], [15, 16]]);

describe("packed numbers", () => {
  test("three codes up to 5 have three bits each, the first one lowest", async () => {
    const bytes = await packCodes(Uint8Array.of(5, 1, 4), 5, yielder);
    expect([...bytes]).toEqual([0b00_001_101, 1, 0, 0]);
    expect(unpackCodes(bytes, 3, 5)).toEqual(Uint8Array.of(5, 1, 4));
  });

  test.each(Array.from({ length: 32 }, (_, at) => at + 1))("of %d bits come back", async (bits) => {
    const max = 2 ** bits - 1;
    for (const count of [0, 1, 31, 32, 33, 5_000]) {
      const codes = allocateCodes(count, max).map((_, at) => (at % 7 === 0 ? max : Math.imul(at + 1, 0x9e3779b1) >>> (32 - bits)));
      const bytes = await packCodes(codes, max, new Yielder(10));
      expect(bytes.length).toBe(Math.ceil((count * (WHOLE_BYTE_BITS.get(bits) ?? bits)) / 32) * 4);
      expect(unpackCodes(bytes, count, max)).toEqual(codes);
    }
  });

  test("without numbers there is none to read", () => {
    const none = PackedCodes.of(new Uint8Array(0), 0, 5);
    const rows: number[] = [];
    none?.eachCandidate(0xffffffff, (row) => rows.push(row));
    expect(rows).toEqual([]);
    expect(none?.count).toBe(0);
  });

  test("codes of whole bytes have memory of their own, as bytes that are read may be overwritten", async () => {
    const packed = await packCodes(Uint16Array.of(300, 2, 20_000), 20_000, yielder);
    const shifted = new Uint8Array(9);
    shifted.set(packed, 1);
    for (const bytes of [packed, shifted.subarray(1)]) {
      const codes = unpackCodes(bytes, 3, 20_000);
      bytes.fill(255);
      expect(codes).toEqual(Uint16Array.of(300, 2, 20_000));
      expect(codes?.buffer.byteLength).toBe(6);
    }
  });

  test("deltas have the bits of the largest of a thousand", async () => {
    const values = Uint32Array.from({ length: 2_049 }, (_, at) => (at < 1_500 ? at * 3 : 4_000_000 + at));
    const bytes = await packDeltas(await toDeltas(values), yielder);
    // Widths of three chunks: deltas of 3, of 3 and once of 4 million, of 1, doubled for the sign.
    expect([...bytes.subarray(0, 4)]).toEqual([3, 23, 2, 0]);
    expect(bytes.length).toBe(4 + (1_024 * 3) / 8 + (1_024 * 23) / 8 + 4);
    expect(unpackDeltas(bytes, values.length)).toEqual(values);
  });

  test("any numbers come back from deltas, and from any bytes there are numbers or null", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), { maxLength: 3_000 }), fc.uint8Array({ maxLength: 300 }), fc.nat(3_000), async (list, bytes, count) => {
        const values = Uint32Array.from(list);
        const packed = await packDeltas(await toDeltas(values), yielder);
        expect(unpackDeltas(packed, values.length)).toEqual(values);
        expect(unpackDeltas(bytes, count)?.length ?? count).toBe(count);
        expect(unpackCodes(bytes, count, 1_000)?.length ?? count).toBe(count);
        const cut = packed.subarray(0, Math.max(0, packed.length - 4));
        if (values.length > 0) expect(unpackDeltas(cut, values.length)).toBeNull();
      }),
      { seed: baseSeed, numRuns: 100 },
    );
  });

  test("bytes that are not aligned are read as well", async () => {
    const bytes = await packCodes(Uint16Array.of(700, 3, 999), 999, yielder);
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    expect(unpackCodes(shifted.subarray(1), 3, 999)).toEqual(Uint16Array.of(700, 3, 999));
  });
});
