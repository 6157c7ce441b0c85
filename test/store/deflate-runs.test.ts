import { inflateRawSync } from "node:zlib";
import { seededRandom } from "daybook/testing";
import { expect, test } from "vitest";
import { defaultCodec, memoryCodec, deflateRuns } from "../../src/store/storage/codec.js";
import { concatBytes } from "../../src/core/base/arrays.js";
import { baseSeed } from "../oracle/settings.js";

/** Runs of every length and byte, between bytes that are none. */
function someRuns(): Uint8Array {
  const random = seededRandom(baseSeed);
  const parts = Array.from({ length: 1 + random.below(12) }, () => {
    const part = new Uint8Array(random.below(random.pick([3, 300, 2_000, 70_000]))).fill(random.below(256));
    return random.chance(0.5) ? part.map((byte, at) => byte ^ (at * 31)) : part;
  });
  return concatBytes(parts);
}

test("What it makes is deflate to every inflate, whatever runs there are.", async () => {
  const cases = [new Uint8Array(0), new Uint8Array(1), new Uint8Array(65_535).fill(200), new Uint8Array(65_536).map((_, at) => at * 31), ...Array.from({ length: 300 }, someRuns)];
  for (const bytes of cases) {
    const deflated = deflateRuns(bytes);
    expect(Buffer.compare(inflateRawSync(deflated), bytes)).toBe(0);
    expect(Buffer.compare(await defaultCodec.inflate(deflated, bytes.length), bytes)).toBe(0);
  }
});

test("A run takes thirteen bits for 258 bytes, and what is none its own bytes.", () => {
  expect(deflateRuns(new Uint8Array(258_001)).length).toBeLessThan((1_000 * 13) / 8 + 12);
  const mixed = Uint8Array.from({ length: 20_000 }, (_, at) => (at < 10_000 ? at * 31 : 7));
  expect(deflateRuns(mixed).length).toBeLessThan(10_000 + 13 * 5 + 300);
  const none = Uint8Array.from({ length: 100_000 }, (_, at) => at * 31);
  expect(memoryCodec.deflate(none)).toHaveLength(100_010);
});
