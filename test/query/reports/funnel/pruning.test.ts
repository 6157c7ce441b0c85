import fc from "fast-check";
import { expect, test } from "vitest";
import { ChainEvaluator } from "../../../../src/query/answer/insights/funnel-answer.js";
import { runAtOnce } from "../../../../src/core/base/yield.js";
import { Scratch } from "../../../../src/core/base/scratch.js";
import { MS_PER_DAY } from "../../../../src/core/base/time.js";
import { EntityMatches, pruningOf } from "../../../../src/query/reports/funnel/entity-matches.js";
import { joinedLists, type MatchList } from "../../../../src/query/reports/funnel/match-list.js";
import { inOrder } from "../../../../src/query/reports/funnel/funnel.js";
import { useLimits } from "../../../limits.js";
import { baseSeed, caseCount } from "../../../oracle/settings.js";

useLimits({ joinedListCountMin: 2, firstEntityCount: 2 });

const STEP_COUNT = 3;
const names = ["first", "second", "third"];

/** A match of somebody: hours since the start of its list, and of which steps it is. No two of one list are at once. */
interface Event {
  readonly entityKey: number;
  readonly hour: number;
  readonly mask: number;
}

function listOf(day: number, events: readonly Event[], firstSequence: number): MatchList {
  const sorted = [...events].sort((a, b) => a.entityKey - b.entityKey || a.hour - b.hour);
  const entityKeys = [...new Set(sorted.map(({ entityKey }) => entityKey))];
  return {
    startMs: day * MS_PER_DAY,
    endMs: (day + 1) * MS_PER_DAY,
    firstMs: day * MS_PER_DAY + Math.min(...events.map(({ hour }) => hour * 3_600_000)),
    isInOrder: true,
    isAscending: true,
    entityKeys: Uint32Array.from(entityKeys),
    starts: Uint32Array.from([...entityKeys.map((entityKey) => sorted.findIndex((event) => event.entityKey === entityKey)), sorted.length]),
    times: Uint32Array.from(sorted, ({ hour }) => hour * 3_600_000),
    masks: Uint32Array.from(sorted, ({ mask }) => mask),
    steps: Uint32Array.from(entityKeys, (entityKey) => sorted.reduce((all, event) => (event.entityKey === entityKey ? all | event.mask : all), 0)),
    sequences: Uint32Array.from(sorted, (_, at) => firstSequence + at),
    keys: [],
  };
}

/** Ids in another order than events came: they decide between those of one time. */
const ids = { of: (sequence: number) => ({ id: new Uint8Array(16).fill((sequence * 37) % 251), project: "" }) };

const event = fc.record({ entityKey: fc.nat({ max: 2 }), hour: fc.nat({ max: 23 }), mask: fc.constantFrom(1, 1, 1, 2, 2, 4, 4, 3, 6) });
const events = fc.uniqueArray(event, { minLength: 1, maxLength: 12, selector: ({ entityKey, hour }) => `${entityKey} ${hour}` });
const history = fc.record({
  /** Of one day there may be several, and some of a day may be later than what comes in the next list. */
  lists: fc.array(fc.record({ day: fc.nat({ max: 3 }), events }), { minLength: 1, maxLength: 5 }),
  areJoined: fc.boolean(),
  fromHour: fc.nat({ max: 100 }),
  hours: fc.integer({ min: 1, max: 80 }),
  windowHours: fc.integer({ min: 1, max: 60 }),
  nowHour: fc.integer({ min: 1, max: 200 }),
});

test("What pruning leaves out changes neither how far anybody got, nor when, nor who may go on.", async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ lists, areJoined, fromHour, hours, windowHours, nowHour }) => {
      const own = lists.map(({ day, events }, at) => listOf(day, events, at * 100));
      const all = areJoined ? runAtOnce(joinedLists(own)) : own;
      for (const { starts, times, entityKeys } of all)
        for (let place = 0; place < entityKeys.length; place += 1) {
          const run = [...times.subarray(starts[place], starts[place + 1])];
          expect(run).toEqual([...run].sort((a, b) => a - b));
        }
      const entries = { fromMs: fromHour * 3_600_000, toMs: (fromHour + hours) * 3_600_000 };
      const rules = { order: "sequential", exclusions: [], breakdown: null, windowMs: windowHours * 3_600_000, nowMs: nowHour * 3_600_000 } as const;
      const plan = { ...rules, level: "person", steps: names.map((name) => ({ name })) };
      const answers = [];
      for (const leavesOut of [false, true])
        answers.push(
          await Scratch.of(async (scratch) => {
            const matches = new EntityMatches(all, { entityOf: (entityKey: number) => entityKey, moved: "none", entries }, 1, scratch);
            // Of a plan only these are read.
            const tries = new ChainEvaluator(plan as never, { matches: matches.placed, entries, entryMsOf: (at) => matches.placed.ms[at] ?? NaN });
            matches.rewind(leavesOut ? pruningOf(plan as never, entries) : null);
            while (matches.next()) {
              await inOrder(matches, { times: true, breakdown: false }, { ids, rows: [] } as never);
              const { starts, ends } = matches;
              for (let entity = 0; entity < matches.entityCount; entity += 1) tries.add(starts[entity] ?? 0, ends[entity] ?? 0, () => 0);
            }
            tries.addFirstOnly(matches.firstOnlyCount, matches.firstOnlyPendingCount);
            return { pending: tries.pendingCount, steps: await tries.figures.stepsOf(null, () => Promise.resolve()) };
          }),
        );
      expect(answers[1]).toEqual(answers[0]);
      expect(answers[0]?.steps).toHaveLength(STEP_COUNT);
    }),
    { seed: baseSeed, numRuns: caseCount(600, 6_000) },
  );
});
