import { beforeAll, describe, expect, test } from "vitest";
import { baseSeed, strideOf } from "../oracle/settings.js";
import { withObject, type Objects } from "../store/objects.js";
import { allowedOutcomes, cleanStore, cuts, flipped, outcomeOf } from "./damage-kit.js";

/** One byte in so many is flipped, beginning where the seed says; another test of the long suite flips all. */
const STRIDE = strideOf(1_024, 128);
const SMALL_STRIDE = strideOf(4, 1);
const SMALL_BYTES = 4_096;
/** One length in so many is tried. */
const CUT_STRIDE = strideOf(4, 1);

describe("a store that was closed in good order", () => {
  let objects: Objects;
  let cursor: string;
  let right: string;

  beforeAll(async () => {
    ({ objects, cursor } = await cleanStore());
    right = await outcomeOf(objects, cursor);
  });

  test("has files of every kind, about 64 KiB, and answers", () => {
    const kinds = new Set([...objects.keys()].map((key) => key.split("/")[0]));
    expect(kinds).toEqual(new Set(["MANIFEST", "dictionaries", "identities", "journal", "keys.json", "segments"]));
    expect([...objects.values()].reduce((sum, bytes) => sum + bytes.length, 0)).toBeGreaterThan(60_000);
    expect(JSON.parse(right)).toHaveLength(10);
  });

  test.each(["MANIFEST", "dictionaries", "identities", "journal", "keys.json", "segments"])(
    "answers rightly or reports corruption when a byte of %s is flipped",
    async (kind) => {
      const allowed = allowedOutcomes(kind, right);
      let corruptCount = 0;
      for (const [key, bytes] of objects) {
        if (!key.startsWith(kind)) continue;
        const stride = bytes.length <= SMALL_BYTES ? SMALL_STRIDE : STRIDE;
        for (let at = baseSeed % stride; at < bytes.length; at += stride) {
          const outcome = await outcomeOf(withObject(objects, key, flipped(bytes, at, 1 << (at & 7))), cursor);
          if (!allowed.has(outcome)) expect.fail(`byte ${at} of ${key}: ${outcome.slice(0, 300)}`);
          if (outcome === "corruption") corruptCount += 1;
        }
      }
      expect(corruptCount).toBeGreaterThan(10);
    },
    120_000,
  );

  test.each(["MANIFEST", "dictionaries", "identities", "journal", "keys.json", "segments"])(
    "reports corruption when %s is cut, whatever is left",
    async (kind) => {
      const allowed = allowedOutcomes(kind, right);
      for (const [key, bytes] of objects) {
        if (!key.startsWith(kind)) continue;
        for (const length of cuts(bytes.length).filter((_, at) => at % CUT_STRIDE === baseSeed % CUT_STRIDE)) {
          const outcome = await outcomeOf(withObject(objects, key, bytes.subarray(0, length)), cursor);
          // The line feed at its end is all that may be missing.
          if (kind === "keys.json") expect(allowed, `${key} cut at ${length}`).toContain(outcome);
          else expect(outcome, `${key} cut at ${length}`).toBe("corruption");
        }
      }
    },
  );

  test("reports a file that is gone", async () => {
    for (const key of objects.keys()) {
      const outcome = await outcomeOf(withObject(objects, key, null), cursor);
      expect(outcome, key).toBe(key === "MANIFEST" ? "manifest_missing" : "corruption");
    }
  });

  test("refuses bytes behind the end of its journal", async () => {
    for (const [key, bytes] of objects) {
      if (!key.startsWith("journal/")) continue;
      for (const more of [[0], [0x46, 0x52], [...bytes.subarray(12)]])
        expect(await outcomeOf(withObject(objects, key, Uint8Array.from([...bytes, ...more])), cursor)).toBe("corruption");
    }
  });

  test.each(["dictionaries", "segments"])("is as safe where %s are read when a query needs them", async (kind) => {
    expect(await outcomeOf(objects, cursor, true, true)).toBe(right);
    const allowed = allowedOutcomes(kind, right);
    let corruptCount = 0;
    for (const [key, bytes] of objects) {
      if (!key.startsWith(kind)) continue;
      const lengths = [null, 0, 17, bytes.length >> 1, bytes.length - 1];
      for (const length of lengths) expect(await outcomeOf(withObject(objects, key, length === null ? null : bytes.subarray(0, length)), cursor, true, true)).toBe("corruption");
      const stride = bytes.length <= SMALL_BYTES ? SMALL_STRIDE : STRIDE;
      for (let at = baseSeed % stride; at < bytes.length; at += stride) {
        const outcome = await outcomeOf(withObject(objects, key, flipped(bytes, at, 1 << (at & 7))), cursor, at % 2 === 0, true);
        if (!allowed.has(outcome)) expect.fail(`byte ${at} of ${key}: ${outcome.slice(0, 300)}`);
        if (outcome === "corruption") corruptCount += 1;
      }
    }
    expect(corruptCount).toBeGreaterThan(10);
  });

  test("is as safe to open for writing", async () => {
    expect(await outcomeOf(objects, cursor, false)).toBe(right);
    for (const [key, bytes] of objects) {
      const allowed = allowedOutcomes(key, right);
      for (let at = 0; at < bytes.length; at += strideOf(997, 331)) {
        const outcome = await outcomeOf(withObject(objects, key, flipped(bytes, at, 0xff)), cursor, false);
        if (!allowed.has(outcome)) expect.fail(`byte ${at} of ${key}: ${outcome.slice(0, 300)}`);
      }
    }
  });

  test("never takes one file for another, even where the end of it fits", async () => {
    for (const [key, bytes] of objects)
      for (const [other, otherBytes] of objects) {
        if (key === other || key === "keys.json") continue;
        const instead = new Uint8Array(bytes.length);
        const end = otherBytes.subarray(Math.max(0, otherBytes.length - bytes.length));
        instead.set(end, bytes.length - end.length);
        const outcome = await outcomeOf(withObject(objects, key, instead), cursor);
        expect(outcome, `${other} in the place of ${key}`).toBe("corruption");
      }
  });
});
