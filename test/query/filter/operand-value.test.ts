import { expect, test } from "vitest";
import { canonicalJson, isSetJson, pathOf, propertiesOf, walk } from "../../../src/query/filter/value-test.js";

test.each([
  ["/a/b", "/a/b"], ["/a?x=1#y", "/a"], ["/a#y?x", "/a"], ["?x", ""], ["#", ""], ["", ""], ["https://h/p?q", "https://h/p"],
])("the path of %j is %j", (url, path) => {
  expect(pathOf(url)).toBe(path);
});

const nested = JSON.parse('{"a":{"b":1,"n":null,"__proto__":{"x":2}},"l":[{"b":1}],"t":"text"}') as unknown;
test.each<[string[], unknown]>([
  [[], nested],
  [["a", "b"], 1],
  [["a", "n"], null],
  [["a", "n", "x"], undefined],
  [["a", "__proto__", "x"], 2],
  [["a", "c"], undefined],
  [["l", "0"], undefined],
  [["l", "length"], undefined],
  [["t", "length"], undefined],
  [["toString"], undefined],
  [["a", "constructor", "name"], undefined],
  [["__proto__"], undefined],
])("the walk %j ends at %j", (segments, value) => {
  expect(walk(nested, segments)).toEqual(value);
});

test.each([undefined, null, "", [], [null], ["", null], [[]], [[""], null]])("%j is not set", (value) => {
  expect(isSetJson(value)).toBe(false);
  expect(propertiesOf(value)).toEqual([""]);
});

test.each<[unknown, string[]]>([
  ["a", ["a"]],
  [" ", [" "]],
  [0, ["0"]],
  [3.0, ["3"]],
  [1e21, ["1e+21"]],
  [1e-7, ["1e-7"]],
  [false, ["false"]],
  [{}, ["{}"]],
  [{ b: [2, { d: 1, c: null }], a: "x" }, ['{"a":"x","b":[2,{"c":null,"d":1}]}']],
  [["a", "b", "a"], ["a", "b"]],
  [["a", null, ""], ["a"]],
  [[3, "3", true, "true"], ["3", "true"]],
  [[{ b: 1, a: 2 }, { a: 2, b: 1 }], ['{"a":2,"b":1}']],
  [[["a", "b"], "a"], ["a", "b"]],
])("%j is set and counts under %j", (value, properties) => {
  expect(isSetJson(value)).toBe(true);
  expect(propertiesOf(value)).toEqual(properties);
});

test("canonical JSON orders keys by code point and keeps every key", () => {
  expect(canonicalJson({ "\uff5e": 1, "😀": 2, b: 3, B: 4 })).toBe('{"B":4,"b":3,"\uff5e":1,"😀":2}');
  expect(canonicalJson(JSON.parse('{"__proto__":{"z":1,"y":2},"10":1,"9":2}'))).toBe('{"10":1,"9":2,"__proto__":{"y":2,"z":1}}');
  expect(canonicalJson('quote " and \n')).toBe(String.raw`"quote \" and \n"`);
});
