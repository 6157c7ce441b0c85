import { expect, test } from "vitest";
import { KeyChains } from "../../../src/core/base/key-chains.js";
import { seededRandom } from "../../../src/testing/random.js";

test("Each key has its places, the latest first, while the list grows, and others none.", () => {
  const random = seededRandom(1);
  const keys = Uint32Array.from({ length: 300 }, (_, at) => (at % 2 === 0 ? random.below(60) : 2 ** 31 + random.below(2 ** 31)));
  const chains = new KeyChains();
  for (let count = 0; count <= keys.length; count += random.below(40) + 1) {
    chains.follow(keys.slice(0, count + 3), Math.min(count, keys.length));
    for (const key of [...new Set(keys)]) {
      const places = [...keys.keys()].filter((place) => place < count && keys[place] === key).reverse();
      expect(chains.placesOf(key)).toEqual(places);
      expect(chains.placeOf(key)).toBe(places[0] ?? -1);
    }
  }
});
