import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Dictionaries } from "../../../src/storage/column/dictionaries.js";
import { Dictionary } from "../../../src/storage/column/dictionary.js";
import { JsonDictionary } from "../../../src/storage/column/json-dictionary.js";
import { baseSeed } from "../../oracle/settings.js";

describe("a dictionary", () => {
  test("gives each distinct string one code, in order of arrival, and the empty string code 0", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom("", "a", "b", "__proto__", "constructor"), fc.string())), (texts) => {
        const dictionary = new Dictionary("name");
        const codes = texts.map((text) => dictionary.intern(text));
        const distinct = [...new Set(["", ...texts])];
        expect(dictionary.values).toEqual(distinct);
        expect(codes).toEqual(texts.map((text) => distinct.indexOf(text)));
        expect(texts.map((text) => dictionary.codeOf(text))).toEqual(codes);
        expect(codes.map((code) => dictionary.valueOf(code))).toEqual(texts);
      }),
      { seed: baseSeed, numRuns: 200 },
    );
  });

  test("has no code for a string it never saw, also right after it was asked for it", () => {
    const dictionary = new Dictionary("name");
    expect([dictionary.codeOf("a"), dictionary.codeOf("a"), dictionary.intern("a"), dictionary.codeOf("a"), dictionary.codeOf("b")]).toEqual([
      -1, -1, 1, 1, -1,
    ]);
  });

  test("of JSON texts gives their values, and knows which are arrays, as it grows", () => {
    const dictionary = new JsonDictionary("m1");
    for (const text of ['"x"', "[1]", "null"]) dictionary.intern(text);
    expect([0, 1, 2, 3].map((code) => dictionary.json(code))).toEqual([undefined, "x", [1], null]);
    expect([...dictionary.arrayCodes()]).toEqual([2]);
    dictionary.intern("[]");
    expect([...dictionary.arrayCodes()]).toEqual([2, 4]);
    expect(dictionary.json(4)).toEqual([]);
  });
});

describe("the dictionaries of a store", () => {
  test("rebuild each other from what each step added", () => {
    const steps = fc.array(fc.array(fc.tuple(fc.constantFrom("name", "url", "m1"), fc.string({ minLength: 1, maxLength: 3 }))), { maxLength: 6 });
    fc.assert(
      fc.property(steps, (additions) => {
        const written = new Dictionaries();
        const read = new Dictionaries();
        for (const addition of additions) {
          const before = written.sizes();
          for (const [name, value] of addition) written.named(name).intern(value);
          for (const delta of written.deltasSince(before)) expect(read.apply(delta)).toBe(true);
        }
        for (const name of ["name", "url", "m1"]) expect(read.named(name).values).toEqual(written.named(name).values);
      }),
      { seed: baseSeed, numRuns: 200 },
    );
  });

  test("give what was added between two moments, no later value", () => {
    const dictionaries = new Dictionaries();
    const before = dictionaries.sizes();
    dictionaries.named("url").intern("/a");
    const until = dictionaries.sizes();
    dictionaries.named("url").intern("/b");
    dictionaries.named("m9").intern("1");
    expect(dictionaries.deltasSince(before, until)).toEqual([{ name: "url", start: 1, values: ["/a"] }]);
  });

  test("refuse values that leave a gap or contradict, and take the same ones again", () => {
    const dictionaries = new Dictionaries();
    expect(dictionaries.apply({ name: "url", start: 1, values: ["/a", "/b"] })).toBe(true);
    expect(dictionaries.apply({ name: "url", start: 2, values: ["/b", "/c"] })).toBe(true);
    expect(dictionaries.apply({ name: "url", start: 5, values: ["/d"] })).toBe(false);
    expect(dictionaries.apply({ name: "url", start: 1, values: ["/b"] })).toBe(false);
    expect(dictionaries.named("url").values).toEqual(["", "/a", "/b", "/c"]);
  });

  test("refuse every look-up when a file gave a value two codes", () => {
    const dictionaries = new Dictionaries();
    dictionaries.apply({ name: "url", start: 1, values: ["/a", "/b", "", "/a"] });
    for (let time = 0; time < 2; time += 1) expect(() => dictionaries.named("url").codeOf("/b")).toThrow("dictionary url: a value has two codes");
  });

  test("find values among very many that a file brought, with a table and without, and refuse one with two codes", () => {
    const dictionaries = new Dictionaries();
    const urls = dictionaries.named("url");
    urls.intern("/first");
    const values = Array.from({ length: 20_000 }, (_, at) => `/page/${at}`);
    dictionaries.apply({ name: "url", start: 2, values: [...values, "/twice", "/twice"] });
    expect(() => urls.codeOf("/twice")).toThrow("dictionary url: a value has two codes");
    expect(["", "/first", "/page/0", "/page/19999", "/none"].map((value) => urls.codeOf(value))).toEqual([0, 1, 2, 20_001, -1]);
    urls.truncate(20_002);
    for (let time = 0; time < 20; time += 1) expect([urls.codeOf(`/page/${time}`), urls.codeOf("/none")]).toEqual([2 + time, -1]);
    expect([urls.intern("/page/7"), urls.intern("/new"), urls.codeOf("/page/19999")]).toEqual([9, 20_002, 20_001]);
  });

  test("tell the empty metadata key from no key, and keep the order of a shape's keys", () => {
    const dictionaries = new Dictionaries();
    const [empty, proto] = [dictionaries.keyCode(""), dictionaries.keyCode("__proto__")];
    expect([empty, proto, dictionaries.keyOf(empty), dictionaries.keyOf(proto)]).toEqual([1, 2, "", "__proto__"]);
    expect([dictionaries.knownKeyCode(""), dictionaries.knownKeyCode("x")]).toEqual([1, -1]);
    const shape = dictionaries.shapes.intern("2,1");
    expect([dictionaries.keysOfShape(shape), dictionaries.keysOfShape(0)]).toEqual([[2, 1], []]);
    expect(dictionaries.ofKey(2)).toBe(dictionaries.named("m2"));
  });
});
