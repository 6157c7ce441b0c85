import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { Sha256, sha256, toHex } from "../../src/base/hash.js";
import { seededRandom } from "../../src/testing/index.js";

test("SHA-256 of bytes that come in any parts is that of the whole, as node computes it.", () => {
  const random = seededRandom(7);
  for (let round = 0; round < 200; round += 1) {
    const bytes = Uint8Array.from({ length: Math.floor(random.next() * 400) }, () => random.next() * 256);
    const expected = createHash("sha256").update(bytes).digest("hex");
    const hash = new Sha256();
    for (let at = 0; at < bytes.length; ) {
      const length = Math.floor(random.next() * 150);
      hash.add(bytes.subarray(at, at + length));
      at += length;
    }
    expect(toHex(hash.digest())).toBe(expected);
    expect(toHex(sha256(bytes))).toBe(expected);
  }
});
