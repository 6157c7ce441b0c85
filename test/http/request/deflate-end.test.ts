import { constants, deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { runAtOnce } from "../../../src/core/base/yield.js";
import { endOfDeflate, DeflateError } from "../../../src/http/request/inflate.js";
import { baseSeed } from "../../oracle/settings.js";

/** Bytes of few and of many values, the rarest of which get long codes. */
const contents = fc.oneof(
  fc.uint8Array({ maxLength: 3_000 }),
  fc.array(fc.integer({ min: 0, max: 19 }), { maxLength: 40 }).map((powers) => Uint8Array.from(powers.flatMap((power, at) => new Array<number>(Math.min(2 ** power, 20_000)).fill(at)))),
  fc.string({ maxLength: 2_000 }).map((text) => new TextEncoder().encode(text)),
);
const { Z_DEFAULT_STRATEGY, Z_FILTERED, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE } = constants;

test("the end of a deflate stream is found, whatever made it and whatever follows", () => {
  fc.assert(
    fc.property(contents, fc.integer({ min: 0, max: 9 }), fc.constantFrom(Z_DEFAULT_STRATEGY, Z_FILTERED, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE), fc.uint8Array({ maxLength: 9 }), (content, level, strategy, rest) => {
      const stream = deflateRawSync(content, { level, strategy });
      const bytes = Buffer.concat([Buffer.from([7]), stream, rest]);
      expect(runAtOnce(endOfDeflate(bytes, 1, Infinity))).toEqual({ end: 1 + stream.length, byteLength: content.length });
      if (stream.length > 1) expect(() => runAtOnce(endOfDeflate(stream.subarray(0, -1), 0, Infinity))).toThrow(DeflateError);
    }),
    { seed: baseSeed, numRuns: 300 },
  );
});

test("a block with more codes than there are is refused before its tables are filled", () => {
  const bits: number[] = [];
  const put = (value: number, count: number) => void bits.push(...Array.from({ length: count }, (_, bit) => (value >>> bit) & 1));
  put(0, 1);
  put(2, 2);
  put(0, 5);
  put(0, 5);
  put(15, 4);
  // Code lengths 15 and 1 have codes of one bit each: every literal gets a code of length 1, the end of the block one of 15.
  for (const symbol of [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]) put(symbol === 1 || symbol === 15 ? 1 : 0, 3);
  for (let at = 0; at < 258; at += 1) put(at === 256 ? 1 : 0, 1);
  const bytes = Uint8Array.from({ length: Math.ceil(bits.length / 8) + 8 }, (_, at) => bits.slice(at * 8, at * 8 + 8).reduce((byte, bit, place) => byte | (bit << place), 0));
  expect(() => runAtOnce(endOfDeflate(bytes, 0, Infinity))).toThrow("oversubscribed code");
});

test("a long stream is read in steps, also if it is one block", () => {
  let state = 1;
  // Of 64 values, so that no block is merely stored.
  const content = Uint8Array.from({ length: 2 ** 20 }, () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 26);
  for (const strategy of [Z_FIXED, Z_HUFFMAN_ONLY]) {
    const stream = deflateRawSync(content, { strategy, memLevel: 9 });
    const steps = endOfDeflate(stream, 0, Infinity);
    let stepCount = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) stepCount += 1;
    expect(step.value).toEqual({ end: stream.length, byteLength: content.length });
    expect(stepCount).toBeGreaterThanOrEqual(Math.floor(stream.length / (64 * 1024)));
  }
});
