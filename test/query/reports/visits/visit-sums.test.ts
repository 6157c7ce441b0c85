import { expect, test } from "vitest";
import { seededRandom } from "daybook/testing";
import { sessionFigures, UserCounter } from "../../../../src/query/answer/visits/visits.js";
import { Visits } from "../../../../src/query/answer/visits/visits.js";
import { Scratch } from "../../../../src/core/base/scratch.js";
import { figuresOfSums, visitSumsOf } from "../../../../src/query/reports/visits/cached-sessions.js";
import type { SessionView } from "../../../../src/query/tables/sessions/session-view.js";

const COUNT = 5_000;

test("sums of parts tell the figures of all, however sessions are divided", async () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const random = seededRandom(seed);
    const numbers = (end: number) => Uint32Array.from({ length: COUNT }, () => random.below(end));
    const facts = {
      lengths: numbers(random.pick([1, 3, 90_000_000])),
      identities: numbers(random.pick([9, 900, 900_000])).map((id) => id + 1),
      eventCounts: numbers(3).map((count) => count + 1),
      pageviewCounts: numbers(3),
    };
    // Sums look at nothing else of a view.
    const view = { facts, identityEnd: 1_000_000 } as unknown as SessionView;
    const cuts = [0, ...Array.from({ length: random.below(6) }, () => random.below(COUNT)), COUNT].sort((a, b) => a - b);
    const all = Uint32Array.from({ length: COUNT }, (_, session) => session);
    const parts = cuts.slice(1).map((end, at) => visitSumsOf(new Visits(view, all.subarray(cuts[at], end))));
    const expected = await Scratch.of((scratch) => sessionFigures(new Visits(view, all), new UserCounter(scratch), () => Promise.resolve()));
    expect(figuresOfSums(parts)).toEqual(expected);
  }
});
