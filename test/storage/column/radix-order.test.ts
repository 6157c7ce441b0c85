/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are of keys */
import { expect, test } from "vitest";
import { radixOrder } from "../../../src/storage/column/radix-order.js";
import { seededRandom } from "../../../src/testing/random.js";
import { baseSeed } from "../../oracle/settings.js";

test("Places stand in the order of their keys, those of one key as before, whatever the keys are.", () => {
  for (let at = 0; at < 200; at += 1) {
    const random = seededRandom(baseSeed + at);
    const end = random.pick([1, 3, 2 ** 11, 2 ** 11 + 1, 2 ** 22, 2 ** 26, 2 ** 32]);
    const keys = Uint32Array.from({ length: random.below(300) }, () => random.below(end));
    const places = Uint32Array.from(random.shuffled([...keys.keys()].filter(() => random.chance(0.8))));
    const before = places.slice();
    expect([...radixOrder(places, keys)], `seed ${baseSeed + at}`).toEqual([...before].sort((a, b) => keys[a]! - keys[b]! || before.indexOf(a) - before.indexOf(b)));
    expect(places).toEqual(before);
  }
});
