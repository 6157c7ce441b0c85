import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CodeSet } from "../../../src/storage/column/code-set.js";
import { baseSeed } from "../../oracle/settings.js";

const sizes = fc.integer({ min: 1, max: 60 });
const cases = sizes.chain((size) =>
  fc.record({ size: fc.constant(size), codes: fc.array(fc.nat({ max: size - 1 })), negated: fc.boolean() }),
);

function tableOf(set: CodeSet, size: number): number[] {
  return Array.from({ length: size }, (_, code) => (set.has(code) ? 1 : 0));
}

function holds(law: (value: { size: number; codes: number[]; negated: boolean }) => void): void {
  fc.assert(fc.property(cases, law), { seed: baseSeed, numRuns: 500 });
}

describe("a set of codes", () => {
  test("has the codes of its list, or all others", () => {
    holds(({ size, codes, negated }) => {
      const set = CodeSet.ofList(codes, negated, size);
      for (let code = 0; code < size; code += 1) expect(set.has(code)).toBe(codes.includes(code) !== negated);
      expect([...set.toTable()]).toEqual(tableOf(set, size));
    });
  });

  test("is the same set made from its table", () => {
    holds(({ size, codes, negated }) => {
      const made = CodeSet.ofList(codes, negated, size);
      const again = CodeSet.ofTable(made.toTable());
      expect(tableOf(again, size)).toEqual(tableOf(made, size));
    });
  });

  test("knows when it is empty, when it is everything, and when it is one code", () => {
    holds(({ size, codes, negated }) => {
      const table = CodeSet.ofList(codes, negated, size).toTable();
      const set = CodeSet.ofTable(table);
      const members = [...table.keys()].filter((code) => table[code] === 1);
      if (set.isEmpty) expect(members).toEqual([]);
      if (set.isAll) expect(members.length).toBe(size);
      if (set.only >= 0) expect(members).toEqual([set.only]);
      if (members.length === 0) expect(set.isEmpty).toBe(true);
      if (members.length === 1 && size > 2) expect(set.only).toBe(members[0]);
    });
  });

  test("leaves out codes that are unknown", () => {
    const set = CodeSet.ofList([-1, 3, -1], false, 5);
    expect([set.only, set.has(3), set.has(0)]).toEqual([3, true, false]);
    expect(CodeSet.ofList([-1], false, 5).isEmpty).toBe(true);
    expect(CodeSet.ofList([-1], true, 5).isAll).toBe(true);
  });

  test("never rules out a zone that has one of its codes", () => {
    const zones = cases.chain((made) =>
      fc.tuple(fc.constant(made), fc.array(fc.nat({ max: made.size - 1 }), { minLength: 1, maxLength: 5 })),
    );
    fc.assert(
      fc.property(zones, ([{ size, codes, negated }, present]) => {
        const set = CodeSet.ofList(codes, negated, size);
        const set2 = CodeSet.ofTable(set.toTable());
        const values = present.filter((code) => code > 0);
        const [min, max] = values.length === 0 ? [Infinity, 0] : [Math.min(...values), Math.max(...values)];
        for (const one of [set, set2])
          if (present.some((code) => one.has(code))) expect(one.mayMatch(min, max, present.includes(0))).toBe(true);
      }),
      { seed: baseSeed, numRuns: 500 },
    );
  });

  test("rules a zone out when its short list has no code there", () => {
    const set = CodeSet.ofList([4, 9], false, 20);
    expect([set.mayMatch(5, 8, false), set.mayMatch(5, 9, false), set.mayMatch(1, 4, false), set.mayMatch(10, 19, true)]).toEqual([
      false, true, true, false,
    ]);
    expect(CodeSet.ofList([0], false, 20).mayMatch(5, 8, true)).toBe(true);
  });
});
