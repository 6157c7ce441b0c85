import { seededRandom } from "daybook/testing";
import { expect, test } from "vitest";
import { Yielder } from "../../../src/core/base/yield.js";
import { LatestSessions } from "../../../src/query/tables/sessions/latest-sessions.js";
import { OpenSessions } from "../../../src/query/tables/sessions/open-sessions.js";
import { SessionColumns } from "../../../src/query/tables/sessions/session-columns.js";
import { baseSeed, caseCount } from "../../oracle/settings.js";

const GAP_MS = 1_000;

test("Of random events in order of time, the session that each identity may continue is known, however many are open at once.", () => {
  for (let seed = baseSeed; seed < baseSeed + caseCount(6, 60); seed += 1) {
    const random = seededRandom(seed);
    const open = new OpenSessions(GAP_MS);
    const known = new Map<number, { readonly session: number; endMs: number }>();
    const identityCount = random.pick([10, 3_000, 40_000]);
    const stepMs = random.pick([0, 1, 3]);
    for (let at = 0, ms = 0; at < 40_000; at += 1, ms += random.between(0, stepMs)) {
      const identity = random.between(1, identityCount);
      const before = known.get(identity);
      const isOpen = before !== undefined && ms - before.endMs <= GAP_MS;
      const session = open.of(identity);
      if (isOpen) expect([session, open.endOf(identity)], `seed ${seed}, event ${at}`).toEqual([before.session, before.endMs]);
      else if (session >= 0) expect(ms - open.endOf(identity), `seed ${seed}, event ${at}`).toBeGreaterThan(GAP_MS);
      if (isOpen && random.chance(0.9)) {
        open.goOn(identity, ms);
        before.endMs = ms;
      } else {
        open.put(identity, at, ms);
        known.set(identity, { session: at, endMs: ms });
      }
    }
  }
});

test("The sessions of an identity are listed from the latest to the first, and its latest event is the latest of any of them.", async () => {
  const columns = new SessionColumns(100);
  for (const [identity, startMs, lengthMs] of [[7, 0, 50], [9, 10, 0], [7, 20, 5], [7, 40, 8]] as const) {
    const session = columns.add(identity, 1, startMs);
    columns.lengths[session] = lengthMs;
  }
  const latest = await LatestSessions.of(columns, 8, new Yielder());
  expect([latest.of(7), latest.before(3), latest.before(2), latest.before(0), latest.endOf(7)]).toEqual([3, 2, 0, -1, 50]);
  expect([latest.of(9), latest.before(1), latest.endOf(9), latest.of(8), latest.of(1_000)]).toEqual([1, -1, 10, -1, -1]);
});
