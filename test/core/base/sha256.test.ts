import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { Sha256, hash128, sha256, toHex } from "../../../src/core/base/hash.js";
import { seededRandom } from "../../../src/testing/index.js";

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

test("The hash of a kind and a value is the start of that of both, whatever their length and script.", () => {
  for (let length = 0; length < 130; length += 1)
    for (const character of ["a", "é", "\u{1F600}", "\0"]) {
      const value = character.repeat(length);
      const expected = createHash("sha256").update(`user\0${value}`).digest("hex").slice(0, 32);
      expect(toHex(hash128("user", value))).toBe(expected);
    }
});
