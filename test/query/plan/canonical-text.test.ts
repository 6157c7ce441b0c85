import { expect, test } from "vitest";
import { canonicalText } from "../../../src/query/plan/cursor.js";

test("keys are sorted, at every level, and lists are not", () => {
  expect(canonicalText({ b: [2, 1, { d: null, c: "x" }], a: true })).toBe('{"a":true,"b":[2,1,{"c":"x","d":null}]}');
  expect(canonicalText([{ b: 1, a: 2 }])).toBe('[{"a":2,"b":1}]');
  expect(canonicalText("a\"b")).toBe('"a\\"b"');
});

test("an object within that is long is named by what it holds", () => {
  const long = (last: number) => ({ items: Array.from({ length: 200 }, (_, at) => at), last });
  const text = canonicalText({ a: long(1), b: [long(1), long(2)] });
  expect(text).toMatch(/^\{"a":\{"hash":"([0-9a-f]{32})"\},"b":\[\{"hash":"\1"\},\{"hash":"(?!\1)[0-9a-f]{32}"\}\]\}$/);
  expect(canonicalText(long(1)).length).toBeGreaterThan(256);
});

test("an object that stands in many places is read once", () => {
  let readCount = 0;
  const counted = { get a() { return (readCount += 1), "x"; } };
  canonicalText({ all: Array(100).fill(counted) });
  expect(readCount).toBe(1);
});
