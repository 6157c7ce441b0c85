import fc from "fast-check";
import { expect, test } from "vitest";
import { OwnerIndex, ownerListsOf } from "../../../src/query/tables/touches/touches.js";
import { useLimits } from "../../limits.js";
import { baseSeed } from "../../oracle/settings.js";

// A list of three is long.
useLimits({ placesSortedAtOnce: 2 });

const OWNER_MAX = 4;
const PLACE_COUNT = 12;
/** What each place is compared by: few, so that many are equal, and the place decides. */
const keyLists = fc.array(fc.nat({ max: 3 }), { minLength: PLACE_COUNT, maxLength: PLACE_COUNT });
const owners = fc.array(fc.nat({ max: OWNER_MAX }), { maxLength: PLACE_COUNT });
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom("add" as const, "add" as const, "remove" as const), owner: fc.integer({ min: 1, max: OWNER_MAX + 2 }), place: fc.nat({ max: PLACE_COUNT - 1 }) }),
    fc.record({ kind: fc.constant("sort" as const), owner: fc.integer({ min: 1, max: OWNER_MAX + 2 }), keys: keyLists }),
    fc.record({ kind: fc.constant("build" as const), owners }),
  ),
  { maxLength: 25 },
);

test("The places of each owner are those that were built with, added and not removed, in order.", async () => {
  await fc.assert(
    fc.asyncProperty(owners, keyLists, steps, async (first, firstKeys, ops) => {
      const index = new OwnerIndex();
      const model = new Map<number, number[]>();
      let keys = firstKeys;
      const compare = (a: number, b: number) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b;
      const build = async (ofPlaces: readonly number[]) => {
        let orderedCount = 1;
        while (orderedCount < ofPlaces.length && compare(orderedCount - 1, orderedCount) <= 0) orderedCount += 1;
        index.replace(await ownerListsOf(Uint32Array.from(ofPlaces), Math.min(orderedCount, ofPlaces.length), { compare, msOf: (place) => keys[place] ?? 0 }));
        model.clear();
        ofPlaces.forEach((owner, place) => {
          if (owner !== 0) model.set(owner, [...(model.get(owner) ?? []), place]);
        });
      };
      await build(first);
      for (const op of ops) {
        if (op.kind === "build") await build(op.owners);
        else if (op.kind === "sort") {
          // Something was learned that changes the order: everybody is sorted anew.
          keys = op.keys;
          for (const owner of model.keys()) index.sort(owner, compare);
        } else {
          const known = model.get(op.owner) ?? [];
          if (op.kind === "remove") {
            index.remove(op.owner, op.place);
            model.set(op.owner, known.filter((place) => place !== op.place));
          } else if (!known.includes(op.place)) {
            index.add(op.owner, op.place, compare);
            model.set(op.owner, [...known, op.place]);
          }
        }
        for (let owner = 1; owner <= OWNER_MAX + 3; owner += 1) expect(Array.from(index.of(owner))).toEqual([...(model.get(owner) ?? [])].sort(compare));
      }
    }),
    { seed: baseSeed, numRuns: 400 },
  );
});
