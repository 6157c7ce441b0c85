import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { toHex, KeyedHash } from "../../../src/core/base/hash.js";
import { seededRandom } from "../../../src/testing/index.js";

test("The keyed hash of texts of any length and script, one after the other, is that which node computes.", () => {
  const random = seededRandom(11);
  for (const keyByteLength of [0, 1, 32, 64, 65, 200]) {
    const key = Uint8Array.from({ length: keyByteLength }, () => random.next() * 256);
    const hash = new KeyedHash(key);
    for (let round = 0; round < 150; round += 1) {
      const text = (["a", "é", "\u{1F600}", "\0"][round % 4] ?? "").repeat(Math.floor(random.next() * (round % 25 === 0 ? 2_000 : 200)));
      const byteLength = round % 33;
      expect(toHex(hash.start(text, byteLength))).toBe(createHmac("sha256", key).update(text).digest("hex").slice(0, byteLength * 2));
    }
  }
});
