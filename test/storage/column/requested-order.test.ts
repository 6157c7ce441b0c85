import fc from "fast-check";
import { expect, test } from "vitest";
import { compareCodePoints } from "../../../src/core/base/text-order.js";
import { Dictionary } from "../../../src/storage/column/dictionary.js";
import { RequestedCodeOrder } from "../../../src/storage/column/requested-code-order.js";
import { baseSeed } from "../../oracle/settings.js";

const texts = fc.array(fc.constantFrom("a", "b", "ab", "\u0100", "\u{1f600}"), { maxLength: 6 }).map((parts) => parts.join(""));
const expected = (values: readonly string[], codes: readonly number[]) => [...codes].sort((a, b) => compareCodePoints(values[a] ?? "", values[b] ?? ""));

test("Codes come in the order of their values, whichever were asked for before, and however many values came since.", () => {
  const asked = fc.array(fc.tuple(fc.uniqueArray(texts, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 60 })), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(asked, (rounds) => {
      const values: string[] = [];
      const order = new RequestedCodeOrder(values);
      for (const [arrived, picks] of rounds) {
        values.push(...arrived.filter((text) => !values.includes(text)));
        const codes = values.length === 0 ? [] : [...new Set(picks.map((pick) => pick % values.length))].sort((a, b) => a - b);
        expect([...order.of(Uint32Array.from(codes))]).toEqual(expected(values, codes));
      }
    }),
    { seed: baseSeed, numRuns: 500 },
  );
});

test("A dictionary that forgot a value asks for no order of before.", () => {
  const dictionary = new Dictionary("name");
  for (let at = 0; at < 40; at += 1) dictionary.intern(`v${(at * 7) % 40}`);
  const codes = Uint32Array.from({ length: 30 }, (_, at) => at + 1);
  const inOrder = (some: Uint32Array) => expected(dictionary.values, [...some]);
  expect([...dictionary.sortedCodesOf(codes)]).toEqual(inOrder(codes));
  dictionary.truncate(20);
  for (let at = 0; at < 20; at += 1) dictionary.intern(`u${(at * 3) % 20}`);
  expect([...dictionary.sortedCodesOf(codes)]).toEqual(inOrder(codes));
  dictionary.retire(5);
  dictionary.blank(5);
  expect([...dictionary.sortedCodesOf(codes)]).toEqual(inOrder(codes));
});
