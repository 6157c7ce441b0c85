import fc from "fast-check";
import { expect, test } from "vitest";
import { compareCodePoints, mergeCodes, sortedCodes, sortedCodesYielding } from "../../../src/core/base/text-order.js";
import { Dictionary } from "../../../src/storage/column/dictionary.js";
import { Yielder } from "../../../src/core/base/yield.js";
import { seededRandom } from "../../../src/testing/random.js";
import { baseSeed } from "../../oracle/settings.js";

const units = fc.constantFrom("", "a", "b", "~", "\u0000", "\u00fe", "\u00ff", "\u0100", "\u03a9", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{1f600}");
const texts = fc.array(units, { maxLength: 7 }).map((parts) => parts.join(""));
const alike = fc.tuple(texts, fc.uniqueArray(texts, { maxLength: 60 })).map(([prefix, values]) => values.map((value) => prefix + value));

const expected = (values: readonly string[], from = 0, to = values.length) =>
  Array.from({ length: to - from }, (_, at) => from + at).sort((a, b) => compareCodePoints(values[a] ?? "", values[b] ?? ""));

test("Codes come in the order of their values' code points, whatever the values have in common.", () => {
  fc.assert(
    fc.property(alike, fc.nat({ max: 60 }), (values, split) => {
      const middle = Math.min(split, values.length);
      const [first, second] = [sortedCodes(values, 0, middle), sortedCodes(values, middle, values.length)];
      expect([...first]).toEqual(expected(values, 0, middle));
      expect([...second]).toEqual(expected(values, middle));
      expect([...mergeCodes(values, first, second)]).toEqual(expected(values));
    }),
    { seed: baseSeed, numRuns: 1_000 },
  );
});

test("Many values that share long beginnings come in order too.", () => {
  const stems = fc.array(fc.constantFrom("a", "b", "\u0100", "\u{1f600}"), { maxLength: 120 }).map((parts) => parts.join(""));
  const families = fc.array(fc.tuple(stems, fc.integer({ min: 1, max: 90 })), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(families, fc.nat(), (some, seed) => {
      const values = some.flatMap(([stem, count]) => Array.from({ length: count }, (_, at) => stem + ((at * 7_919 + seed) % 997).toString(36) + stem.slice(0, at)));
      expect([...sortedCodes(values, 0, values.length)].map((code) => values[code])).toEqual([...values].sort(compareCodePoints));
    }),
    { seed: baseSeed, numRuns: 300 },
  );
});

test("A dictionary's order takes in what comes later, few or many at a time, and what was blanked.", () => {
  fc.assert(
    fc.property(fc.array(fc.uniqueArray(texts.filter((text) => text !== ""), { maxLength: 30 }), { maxLength: 5 }), (parts) => {
      const dictionary = new Dictionary("url");
      for (const values of parts) {
        for (const value of values) dictionary.intern(value);
        const inOrder = [...dictionary.codesInOrder()].map((code) => dictionary.valueOf(code));
        expect(inOrder).toEqual([...dictionary.values].sort(compareCodePoints));
        if (dictionary.size < 3) continue;
        dictionary.retire(1);
        dictionary.blank(1);
      }
    }),
    { seed: baseSeed, numRuns: 300 },
  );
});

test("A dictionary's order is worth having for many values, and for few once as much was asked for as it costs.", () => {
  const dictionary = new Dictionary("url");
  for (let at = 0; at < 1_023; at += 1) dictionary.intern(`value ${at}`);
  const asks = (codeCount: number) => {
    let count = 0;
    while (!dictionary.shouldSortAll(codeCount)) count += 1;
    return count;
  };
  expect([asks(128), asks(100)]).toEqual([0, 40]);
  dictionary.codesInOrder();
  expect([16, 15].map((codeCount) => dictionary.shouldSortAll(codeCount))).toEqual([true, false]);
});

test("Codes that are ordered in turns of others come in the same order.", async () => {
  const random = seededRandom(baseSeed);
  const stems = ["", "user-", "é", "x".repeat(200), "\u{1f600}"];
  for (const stemCount of [1, 2, 5]) {
    const distinct = new Set(Array.from({ length: 9_000 }, () => random.pick(stems.slice(0, stemCount)) + random.below(2 ** 20).toString(random.pick([10, 36])) + random.pick(stems)));
    const values = [...distinct, ""];
    let turnCount = 0;
    const yielder = new Yielder(10_000, () => {
      turnCount += 1;
      return Promise.resolve();
    });
    expect([...(await sortedCodesYielding(values, 100, values.length, yielder))]).toEqual([...sortedCodes(values, 100, values.length)]);
    expect(turnCount).toBeGreaterThan(values.length / 1_000);
  }
});

test("A dictionary that is ordered in turns keeps no order in which a forgotten value stands.", async () => {
  for (let blankedAt = 0; blankedAt < 12; blankedAt += 1) {
    const dictionary = new Dictionary("name");
    for (let at = 0; at < 5_000; at += 1) dictionary.add(`value ${(at * 7_919) % 5_000}`);
    let turn = 0;
    await dictionary.order(new Yielder(20_000, () => {
      if (turn === blankedAt) {
        dictionary.retire(7);
        dictionary.blank(7);
      }
      turn += 1;
      return Promise.resolve();
    }));
    const values = Array.from({ length: dictionary.size }, (_, code) => dictionary.valueOf(code));
    expect(Array.from(dictionary.codesInOrder(), (code) => dictionary.valueOf(code))).toEqual(values.sort(compareCodePoints));
  }
});
