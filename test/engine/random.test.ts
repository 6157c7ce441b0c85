import { afterEach, expect, test, vi } from "vitest";
import { pooledRandom } from "../../src/core/base/uuid.js";

afterEach(() => {
  vi.restoreAllMocks();
});

test("Random bytes are asked for by the pool, every byte of it is given out once, and none stays behind.", () => {
  const asked: Uint8Array[] = [];
  let next = 0;
  vi.spyOn(globalThis.crypto, "getRandomValues").mockImplementation((bytes) => {
    asked.push(bytes as Uint8Array);
    new Uint32Array((bytes as Uint8Array).buffer).forEach((_, at, words) => (words[at] = next += 1));
    return bytes;
  });
  const random = pooledRandom();
  const given = Array.from({ length: 1_000 }, () => {
    const bytes = new Uint8Array(16);
    random(bytes);
    return Buffer.from(bytes).toString("hex");
  });
  expect(new Set(given).size).toBe(1_000);
  expect(asked).toHaveLength(Math.ceil(16_000 / 4_096));
  expect(asked.at(-1)?.subarray(0, 16_000 % 4_096).every((byte) => byte === 0)).toBe(true);
});

test("More bytes than the pool has come straight from the generator.", () => {
  const bytes = new Uint8Array(10_000);
  pooledRandom()(bytes);
  expect(new Set(bytes).size).toBeGreaterThan(200);
});
