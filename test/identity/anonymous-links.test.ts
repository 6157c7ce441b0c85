import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AnonymousLinks } from "../../src/identity/links.js";
import { baseSeed } from "../oracle/settings.js";

type Event = readonly [userId: number, ms: number];

/** The owners of one anonymous id after each of some events. Texts of users are in the order of their codes. */
function ownersAfter(events: readonly Event[]): number[] {
  const links = new AnonymousLinks((code) => String.fromCharCode(96 + code), () => expect.unreachable("there are no records"));
  let owner = 0;
  return events.map(([userId, ms]) => (owner = links.addEvent(7, { userId, ms }, owner)));
}

/** By definition: the user of the earliest event; at the same ms, the first by text. */
function ownersByDefinition(events: readonly Event[]): number[] {
  return events.map((_, at) => [...events.slice(0, at + 1)].sort(([a, ms], [b, other]) => ms - other || a - b)[0]?.[0] ?? 0);
}

describe("the owner of an anonymous id", () => {
  test.each<[string, readonly Event[], readonly number[]]>([
    ["is its only user, whenever they come again", [[1, 50], [1, 80], [1, 20]], [1, 1, 1]],
    ["is an earlier user", [[1, 50], [2, 40]], [1, 2]],
    ["stays, against a later user", [[1, 50], [2, 60]], [1, 1]],
    ["is the first by text at the same time", [[2, 50], [1, 50], [3, 50]], [2, 1, 1]],
    ["is the first user again, once an earlier event of theirs arrives before any other", [[1, 50], [1, 30], [2, 40], [3, 20], [1, 10]], [1, 1, 1, 3, 1]],
    ["is the first user again, once an earlier event of theirs arrives after others", [[1, 50], [2, 40], [1, 30]], [1, 2, 1]],
  ])("%s", (_what, events, owners) => {
    expect(ownersAfter(events)).toEqual(owners);
    expect(ownersByDefinition(events)).toEqual(owners);
  });

  test("follows its definition, in any order of events", () => {
    const event = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 6 }));
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 12 }), (events) => {
        expect(ownersAfter(events)).toEqual(ownersByDefinition(events));
      }),
      { seed: baseSeed, numRuns: 1_000 },
    );
  });
});
