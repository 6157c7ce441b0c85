import fc from "fast-check";
import { expect, test } from "vitest";
import { PagedCodes, type FrozenCodes } from "../../../src/storage/column/paged-codes.js";
import { baseSeed } from "../../oracle/settings.js";

/** At the edges of pages, and far beyond those that are set. */
const codes = fc.constantFrom(0, 1, 4_095, 4_096, 4_097, 8_191, 20_480);
const steps = fc.array(fc.oneof(fc.record({ code: codes, value: fc.integer({ min: -1, max: 3 }) }), fc.constantFrom("freeze" as const, "copy" as const)), { maxLength: 30 });
const all = [0, 1, 2, 4_095, 4_096, 4_097, 8_191, 8_192, 20_480, 1_000_000];

const valuesOf = (known: { of(code: number): number }) => all.map((code) => known.of(code));

test("Codes are what was set last; whoever froze them goes on seeing what was.", () => {
  fc.assert(
    fc.property(steps, (ops) => {
      let paged = new PagedCodes();
      const model = new Map<number, number>();
      const expected = () => all.map((code) => model.get(code) ?? 0);
      const frozen: { readonly codes: FrozenCodes; readonly values: readonly number[] }[] = [];
      for (const op of ops) {
        if (op === "copy") {
          const former = paged;
          paged = paged.copy();
          frozen.push({ codes: former.freeze(), values: expected() });
          former.set(8_191, -1);
        } else if (op === "freeze") {
          const codesOfNow = paged.freeze();
          expect(paged.freeze()).toBe(codesOfNow);
          frozen.push({ codes: codesOfNow, values: expected() });
        } else {
          paged.set(op.code, op.value);
          model.set(op.code, op.value);
        }
        expect(valuesOf(paged)).toEqual(expected());
        for (const known of frozen) expect(valuesOf(known.codes)).toEqual(known.values);
      }
      const visited: [number, number][] = [];
      paged.each((code, value) => visited.push([code, value]));
      expect(visited).toEqual([...model].filter(([, value]) => value !== 0).sort(([a], [b]) => a - b));
    }),
    { seed: baseSeed, numRuns: 300 },
  );
});
