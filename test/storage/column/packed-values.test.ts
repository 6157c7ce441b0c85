import { seededRandom } from "daybook/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { compareCodePoints } from "../../../src/core/base/text-order.js";
import { runAtOnce, Yielder } from "../../../src/core/base/yield.js";
import { valueHash } from "../../../src/storage/column/dictionary-values.js";
import { Dictionary } from "../../../src/storage/column/dictionary.js";
import { PackedTexts } from "../../../src/storage/column/packed-texts.js";
import { agree } from "../../agree.js";
import { baseSeed } from "../../oracle/settings.js";

/** From 65,536 values on they are packed, 4,096 at a time. */
const COUNT = 90_000;

const valueAt = (number: number) => (number % 1_000 === 7 ? `${number} ${"long ".repeat(10_000)}` : number % 7 === 0 ? `\u0000ñ${number}` : number % 5_000 === 11 ? `日本 ${number}` : `user ${number}`);

/** A dictionary, and what its codes should mean. */
function filled(count = COUNT) {
  const dictionary = new Dictionary("userId");
  const expected = [""];
  const intern = (value: string) => {
    const code = dictionary.intern(value);
    if (code === expected.length) expected.push(value);
    agree(expected[code] ?? null, value);
    return code;
  };
  for (let number = 0; number < count; number += 1) intern(valueAt(number));
  return { dictionary, expected, intern };
}

function expectAll(dictionary: Dictionary, expected: readonly string[]): void {
  agree(dictionary.size, expected.length);
  agree(dictionary.held.charCount, expected.reduce((sum, { length }) => sum + length, 0));
  for (const [code, value] of expected.entries()) {
    agree(dictionary.valueOf(code), value);
    if (value !== "") agree(dictionary.codeOf(value), code);
  }
}

/** Values of a file, in blocks of 1,000. */
function stored(count = COUNT) {
  const dictionary = new Dictionary("userId");
  const expected = ["", ...Array.from({ length: count }, (_, number) => (number % 1_003 === 5 ? "" : valueAt(number)))];
  for (let start = 1; start <= count; start += 1_000) {
    const values = expected.slice(start, start + 1_000);
    const [charCount, valueCount] = [values.join("").length, values.filter((value) => value !== "").length];
    dictionary.addStored({ start, count: values.length, charCount, valueCount, read: () => JSON.stringify(values) });
  }
  return { dictionary, expected };
}

/** How many texts are packed from now on, and how many values are returned from packed texts. */
function packing() {
  const [add, valueOf] = [vi.spyOn(PackedTexts.prototype, "add"), vi.spyOn(PackedTexts.prototype, "valueOf")];
  onTestFinished(() => {
    add.mockRestore();
    valueOf.mockRestore();
  });
  return { packedCount: () => add.mock.results.filter(({ value }) => value === true).length, returnedCount: () => valueOf.mock.calls.length };
}

describe("a dictionary of many values", () => {
  test("gives each its code, and returns it, packed or not", () => {
    const { dictionary, expected, intern } = filled();
    expectAll(dictionary, expected);
    for (let number = 0; number < COUNT; number += 997) agree(intern(valueAt(number)), number + 1);
    const { returnedCount } = packing();
    for (const code of [1, 65_535, 65_536, COUNT]) agree(dictionary.valueOf(code), expected[code] ?? null);
    expect(returnedCount()).toBe(2);
    for (const unknown of ["", "user", "user 90000 ", "ñ7", "\u0000"]) expect(dictionary.codeOf(unknown)).toBe(unknown === "" ? 0 : -1);
    expect(dictionary.valueOf(COUNT + 1)).toBe("");
  });

  test("finds many rows at once", () => {
    const { dictionary } = filled();
    const random = seededRandom(baseSeed);
    const texts = Array.from({ length: 4_096 }, () => (random.chance(0.1) ? "" : valueAt(random.below(COUNT * 2))));
    const [codes, hasNew] = [new Int32Array(texts.length), new Uint8Array(texts.length)];
    dictionary.codesOf(texts, codes, 0, hasNew, texts.length);
    for (const [at, text] of texts.entries()) {
      agree(codes[at] ?? null, dictionary.codeOf(text));
      agree(hasNew[at] ?? null, dictionary.codeOf(text) < 0 ? 1 : 0);
    }
  });

  test.each([COUNT - 3, COUNT - 5_000, 70_000, 65_530, 100])("drops those from %d on, and goes on behind them", (size) => {
    const { dictionary, expected, intern } = filled();
    dictionary.truncate(size);
    expected.length = size;
    expectAll(dictionary, expected);
    expect(dictionary.codeOf(valueAt(COUNT - 1))).toBe(-1);
    for (let number = 0; number < 9_000; number += 1) intern(`new ${number}`);
    expectAll(dictionary, expected);
  });

  test("forgets one that is erased, wherever it lies", () => {
    const { dictionary, expected, intern } = filled();
    const codes = [3, 65_535, 65_536, 66_008, 69_632, COUNT - 1, COUNT];
    for (const code of codes) {
      dictionary.retire(code);
      agree(dictionary.valueOf(code), expected[code] ?? null);
      agree(dictionary.codeOf(expected[code] ?? ""), -1);
      dictionary.blank(code);
      expected[code] = "";
    }
    expectAll(dictionary, expected);
    expect(intern(valueAt(65_535))).toBe(COUNT + 1);
    expect(dictionary.values).toEqual(expected);
    expectAll(dictionary, expected);
  });

  test("sorts some, all at once or in pieces, and goes on", async () => {
    const { dictionary, expected, intern } = filled();
    const sorted = (codes: Iterable<number>) => [...codes].sort((a, b) => ((expected[a] ?? "") < (expected[b] ?? "") ? -1 : 1));
    const some = Uint32Array.from({ length: 300 }, (_, at) => (at * 7_919) % (COUNT + 1));
    const inOrder = sorted(some);
    // At first beside the other values, from some request on among them.
    for (let request = 0; request < 60; request += 1) expect([...dictionary.sortedCodesOf(some)]).toEqual(inOrder);
    for (let number = 0; number < 5_000; number += 1) intern(`later ${number}`);
    expectAll(dictionary, expected);
    const ordering = dictionary.order(new Yielder(20_000, () => Promise.resolve()));
    intern("while ordering");
    await ordering;
    expect([...dictionary.codesInOrder()]).toEqual(sorted(expected.keys()));
    expectAll(dictionary, expected);
  });

  test("packs those of files in the steps that index them", () => {
    const { dictionary, expected } = stored();
    const steps = dictionary.indexing();
    for (let step = 0; step < 10; step += 1) steps.next();
    for (const code of [1, 40_000, 41_000, 88_000]) agree(dictionary.valueOf(code), expected[code] ?? null);
    runAtOnce(steps);
    expectAll(dictionary, expected);
    const { returnedCount } = packing();
    for (const code of [1, 50_000, COUNT]) agree(dictionary.valueOf(code), expected[code] ?? null);
    expect(returnedCount()).toBe(3);
    for (const value of ["a new one", "another"]) expected[dictionary.intern(value)] = value;
    expectAll(dictionary, expected);
    expect(dictionary.values).toEqual(expected);
  });

  test("keeps strings of those that were sorted before they are indexed, beside the packed ones", () => {
    const { dictionary, expected } = stored();
    const steps = dictionary.indexing();
    for (let step = 0; step < 10; step += 1) steps.next();
    const some = Uint32Array.of(3, 50_000, 88_000);
    const sorted = [...dictionary.sortedCodesOf(some)];
    const { packedCount } = packing();
    runAtOnce(steps);
    expect(packedCount()).toBe(COUNT - 40_960);
    expect([...dictionary.sortedCodesOf(some)]).toEqual(sorted);
    expectAll(dictionary, expected);
    expected[dictionary.intern("a new one")] = "a new one";
    expectAll(dictionary, expected);
  });

  test.each([
    [60_000, false], [60_000, true], [COUNT, false], [COUNT, true],
  ])("of files, %d of them, with hashes: %s, are found between the steps that index them", (count, isHashed) => {
    const { dictionary, expected } = stored(count);
    if (isHashed) dictionary.addHashes({ start: 1, count, read: () => Uint32Array.from(expected.slice(1), valueHash) });
    const steps = dictionary.indexing();
    for (let step = 0; step < 7; step += 1) {
      steps.next();
      for (const code of [7, 3_900, 4_100, 21_000, count]) agree(dictionary.codeOf(expected[code] ?? ""), expected[code] === "" ? 0 : code);
      agree(dictionary.codeOf(`none ${step}`), -1);
    }
    runAtOnce(steps);
    expectAll(dictionary, expected);
  });

  test("keeps strings of those whose order is known", () => {
    const { dictionary, expected } = stored();
    const sorted = (codes: Uint32Array) => [...codes].sort((a, b) => compareCodePoints(expected[a] ?? "", expected[b] ?? ""));
    const codesFrom = (start: number, count: number) => Uint32Array.from({ length: count }, (_, at) => start + at * 7);
    const expectSorted = (codes: Uint32Array) => expect(Array.from(dictionary.sortedCodesOf(codes), (code) => expected[code])).toEqual(sorted(codes).map((code) => expected[code]));
    expectSorted(codesFrom(1, 12_000));
    runAtOnce(dictionary.indexing());
    expectSorted(codesFrom(2, 3_000));
    expectSorted(Uint32Array.from([...codesFrom(1, 12_000), ...codesFrom(2, 6_000)]));
    expectAll(dictionary, expected);
  });

  test("packs nothing again where a value has two codes", () => {
    const { dictionary } = stored();
    dictionary.addStored({ start: COUNT + 1, count: 1, charCount: 6, valueCount: 1, read: () => '["user 1"]' });
    const { packedCount } = packing();
    for (let attempt = 0; attempt < 3; attempt += 1) expect(() => dictionary.intern("new")).toThrow("a value has two codes");
    expect(packedCount()).toBe(COUNT + 1);
  });

  test("packs those of files also if a journal has added others, or if most were read before", () => {
    for (const before of [(dictionary: Dictionary) => dictionary.add("of a journal"), (dictionary: Dictionary) => {
      for (let code = 1; code <= COUNT; code += 100) dictionary.valueOf(code);
    }]) {
      const { dictionary, expected } = stored();
      before(dictionary);
      if (dictionary.size > expected.length) expected.push("of a journal");
      const { packedCount, returnedCount } = packing();
      runAtOnce(dictionary.indexing());
      expect(packedCount()).toBe(expected.length - 1);
      const returnedBefore = returnedCount();
      for (const code of [1, 50_000, COUNT]) agree(dictionary.valueOf(code), expected[code] ?? null);
      expect(returnedCount() - returnedBefore).toBe(3);
      expectAll(dictionary, expected);
      vi.restoreAllMocks();
    }
  });

  test("that a follower adds without looking them up are each stored once, and erased for good", () => {
    const { dictionary, expected } = filled();
    for (const [at, count] of [1, 3, 1, 5_000].entries()) {
      for (let number = 0; number < count; number += 1) {
        expected.push(`${at} ${number}`);
        dictionary.add(`${at} ${number}`);
      }
      agree(dictionary.codeOf(`${at} ${count - 1}`), expected.length - 1);
    }
    expectAll(dictionary, expected);
    for (const code of [COUNT + 1, COUNT + 3, COUNT + 5]) {
      dictionary.retire(code);
      dictionary.blank(code);
      expected[code] = "";
    }
    expectAll(dictionary, expected);
    expect(dictionary.values).toEqual(expected);
    expectAll(dictionary, expected);
  });

  test("are ordered by two at once", async () => {
    const { dictionary, expected } = filled(140_000);
    await Promise.all([1, 2].map(() => dictionary.order(new Yielder(20_000, () => Promise.resolve()))));
    expect(Array.from(dictionary.codesInOrder(), (code) => expected[code])).toEqual([...expected].sort(compareCodePoints));
    expectAll(dictionary, expected);
  });

  test("are ordered in turns while others drop some, or add some", async () => {
    for (const act of ["blank", "truncate", "add"] as const) {
      for (const actingTurn of [1, 40, 90]) {
        const { dictionary, expected, intern } = filled(70_000);
        let turn = 0;
        await dictionary.order(new Yielder(20_000, () => {
          turn += 1;
          if (turn !== actingTurn) return Promise.resolve();
          if (act === "add") intern("meanwhile");
          if (act === "truncate") {
            dictionary.truncate(66_000);
            expected.length = 66_000;
          }
          if (act === "blank") {
            dictionary.retire(69_000);
            dictionary.blank(69_000);
            expected[69_000] = "";
          }
          return Promise.resolve();
        }));
        expect(turn).toBeGreaterThan(actingTurn);
        expectAll(dictionary, expected);
        const ordered = Array.from(dictionary.codesInOrder(), (code) => dictionary.valueOf(code));
        expect(ordered).toEqual([...expected].sort(compareCodePoints));
      }
    }
  });
});

test("Packed texts are those that were given, and of a blanked or dropped one no unit remains.", () => {
  const texts = ["", "a", "\u0000", "é", "ü".repeat(9_000), "𝒳", "日本".repeat(5_000), "z", "x".repeat(2 ** 20)];
  const packed = new PackedTexts(10, "");
  expect(texts.slice(1).map((text) => packed.add(text))).toEqual(texts.slice(1).map((text) => text.length < 2 ** 20));
  const given = texts.slice(0, 8);
  const expectGiven = () => {
    expect(packed.end).toBe(10 + given.length);
    expect(given.map((_, at) => packed.valueOf(10 + at))).toEqual(given);
    expect(given.map((text, at) => text === "" || packed.hasValue(10 + at, text))).toEqual(given.map(() => true));
    expect(given.map((text, at) => packed.hasValue(10 + at, `${text}x`) || packed.hasValue(10 + at, "y".repeat(text.length || 1)))).toEqual(given.map(() => false));
  };
  expectGiven();
  packed.blank(14);
  given[4] = "";
  packed.blank(16);
  given[6] = "";
  expectGiven();
  expect([packed.hasValue(14, "ü".repeat(9_000)), packed.hasValue(14, "\u0000".repeat(9_000))]).toEqual([false, false]);
  packed.truncate(15);
  given.length = 5;
  expectGiven();
  expect(packed.add("new")).toBe(true);
  given.push("new");
  expectGiven();
});

test("A run of packed texts ends after 65,536 of them, or after a million units; a longer text is a run by itself.", () => {
  const [many, long, longer] = [new PackedTexts(0, "v"), new PackedTexts(0, "x"), new PackedTexts(0, "y".repeat(2 ** 21))];
  let [manyCount, longCount] = [1, 1];
  while (many.add("v")) manyCount += 1;
  while (long.add("x".repeat(2 ** 16))) longCount += 1;
  expect([manyCount, longCount, longer.add("z")]).toEqual([65_536, 16, false]);
  expect(longer.valueOf(0)).toBe("y".repeat(2 ** 21));
});
