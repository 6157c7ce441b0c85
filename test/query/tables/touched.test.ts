import { expect, test } from "vitest";
import type { IdentityView } from "../../../src/identity/identity-view.js";
import { LatestSessions } from "../../../src/query/tables/sessions/latest-sessions.js";
import { SessionColumns } from "../../../src/query/tables/sessions/session-columns.js";
import { AffectedSessions } from "../../../src/query/tables/sessions/resessionize.js";

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
  const touched = new AffectedSessions(former as unknown as IdentityView, now as unknown as IdentityView);
  touched.move(bob);
  expect([former.listedCount, now.listedCount]).toEqual([ID_COUNT, 2 * ID_COUNT]);
  const [columns, latest] = [new SessionColumns(1), new LatestSessions(0, 0)];
  for (const identity of [10_000, 20_000, 30_000]) latest.put(identity, columns.add(identity, 1, 0), 0);
  expect([...(touched.sessions(columns, latest, 1, 10) ?? [])].sort()).toEqual([0, 1]);
});

test("An event touches the sessions within a gap of it, and those that go on from them without one: where these are cut may change.", () => {
  const nobodyMoved = viewOf(new Map()) as unknown as IdentityView;
  const touched = new AffectedSessions(nobodyMoved, nobodyMoved);
  touched.grow([{ identity: 7, project: 1, part: 0, row: 0, ms: 1_000, url: 0, isPageview: true }]);
  const [columns, latest] = [new SessionColumns(50), new LatestSessions(0, 0)];
  const spans = [[900, 940], [950, 990], [1_005, 1_050], [1_060, 1_110], [1_115, 1_120], [1_131, 1_140]] as const;
  for (const [startMs, endMs] of spans) {
    const session = columns.add(7, 1, startMs);
    columns.lengths[session] = endMs - startMs;
    columns.eventCounts[session] = 2;
    latest.put(7, session, endMs);
  }
  expect([...(touched.sessions(columns, latest, 10, 8) ?? [])]).toEqual([1, 2, 3, 4]);
  expect(touched.sessions(columns, latest, 10, 7), "too many events").toBeNull();
});
