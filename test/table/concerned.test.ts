import { expect, test } from "vitest";
import type { IdentityView } from "../../src/identity/identity-view.js";
import { Concerned } from "../../src/table/sessions/session-changes.js";

const ID_COUNT = 3_000;

/** Everybody's ids by the number of their identity. Counts the ids that were listed. */
function viewOf(idsOf: ReadonlyMap<number, readonly number[]>) {
  const identityOf = new Map([...idsOf].flatMap(([identity, ids]) => ids.map((id) => [id, identity] as const)));
  const view = {
    listedCount: 0,
    identityOf: (actor: number) => identityOf.get(actor) ?? actor,
    actorsOf(identity: number) {
      const ids = idsOf.get(identity) ?? [];
      view.listedCount += ids.length;
      return ids;
    },
  };
  return view;
}

test("Two people of thousands of ids each become one: their ids are listed once, and not once for each that moved.", () => {
  const ids = (first: number) => Array.from({ length: ID_COUNT }, (_, at) => first + at);
  const [ann, bob] = [ids(10_000), ids(20_000)];
  const former = viewOf(new Map([[10_000, ann], [20_000, bob]]));
  const now = viewOf(new Map([[10_000, [...ann, ...bob]]]));
  // A view has more, which nobody here asks.
  const concerned = new Concerned(former as unknown as IdentityView, now as unknown as IdentityView, { gapMs: 1, maxMs: 1 });
  concerned.move(bob);
  expect([former.listedCount, now.listedCount]).toEqual([ID_COUNT, 2 * ID_COUNT]);
  expect([...concerned.identitiesTouched]).toEqual([10_000]);
  expect([...ann, ...bob].every((actor) => concerned.actors.has(actor))).toBe(true);
});
