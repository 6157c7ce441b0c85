import fc from "fast-check";
import { expect, test } from "vitest";
import { Yielder } from "../../../src/core/base/yield.js";
import { linksOf, areSameLinks, decodeLinks, encodeLinks, type LinkList } from "../../../src/storage/segment/links.js";
import { baseSeed } from "../../oracle/settings.js";

/** `[anonymous id, user id, ms of the day]` of each row. */
function rowsOf(rows: readonly (readonly [number, number, number])[]) {
  const codesOf = (at: 0 | 1) => ({ kind: "dense" as const, codes: Uint32Array.from(rows, (row) => row[at]) });
  return { column: (name: string) => codesOf(name === "anonymousId" ? 0 : 1), times: () => Int32Array.from(rows, ([, , ms]) => ms) };
}

/** @param pairs `[anonymous id, user id, ms of the day]` */
function linkList(pairs: readonly (readonly [number, number, number])[]): LinkList {
  const listOf = (at: 0 | 1 | 2) => Uint32Array.from(pairs, (pair) => pair[at]);
  return { anonymousIds: listOf(0), userIds: listOf(1), times: listOf(2) };
}

test("pairs are those that some row has whole, with the earliest time", async () => {
  const links = await linksOf(rowsOf([[1, 2, 50], [1, 0, 10], [0, 2, 20], [1, 2, 30], [1, 2, 40], [3, 2, 86_399_999], [1, 4, 0]]));
  expect(links).toEqual(linkList([[1, 2, 30], [3, 2, 86_399_999], [1, 4, 0]]));
  expect((await linksOf(rowsOf([]))).times).toHaveLength(0);
});

test("two pairs are their number, then the bits of a delta, then deltas of anonymous ids, user ids and times", async () => {
  const bytes = await encodeLinks(linkList([[1, 2, 3], [3, 2, 5]]), new Yielder());
  // Deltas 1 2 -1 0 1 2, doubled for the sign: 2 4 1 0 2 4.
  expect([...bytes]).toEqual([2, 0, 0, 0, 3, 0, 0, 0, 0b01_100_010, 0b0_010_000_0, 0b10, 0]);
});

test("from any bytes there are pairs or null", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(40), (bytes, count) => {
      if (bytes.length > 0) bytes[0] = count;
      bytes.fill(0, 1, 4);
      const links = decodeLinks(bytes);
      if (links !== null) expect([links.anonymousIds.length, links.userIds.length, links.times.length]).toEqual([count, count, count]);
    }),
    { seed: baseSeed, numRuns: 300 },
  );
  expect(decodeLinks(Uint8Array.of(1, 0, 0))).toBeNull();
});

test("pairs come back from their bytes; others are not taken for them", async () => {
  const code = fc.integer({ min: 1, max: 2 ** 26 - 1 });
  const pairs = fc.uniqueArray(fc.tuple(code, code, fc.nat({ max: 86_399_999 })), { minLength: 2, maxLength: 50, selector: ([a, b]) => `${a} ${b}` });
  await fc.assert(fc.asyncProperty(pairs, async (some) => {
    const links = linkList(some);
    expect(decodeLinks(await encodeLinks(links, new Yielder()))).toEqual(links);
    expect(areSameLinks(links, linkList(some.toReversed()))).toBe(true);
    const [[a, b, ms], second] = some as [(typeof some)[0], (typeof some)[0]];
    for (const [at, other] of [[0, [a, b, ms + 1]], [0, second], [1, [a, b, ms]]] as const)
      expect(areSameLinks(links, linkList(some.with(at, [...other])))).toBe(false);
  }), { seed: baseSeed, numRuns: 50 });
});
