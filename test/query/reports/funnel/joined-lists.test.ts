import { expect, test } from "vitest";
import { MS_PER_DAY } from "../../../../src/core/base/time.js";
import { runAtOnce } from "../../../../src/core/base/yield.js";
import * as steps from "../../../../src/query/reports/funnel/match-list.js";
import type { MatchList } from "../../../../src/query/reports/funnel/match-list.js";
import { useLimits } from "../../../limits.js";

useLimits({ joinedListCountMin: 2 });

const joinedLists = (lists: readonly MatchList[]) => runAtOnce(steps.joinedLists(lists));

/** A list of one match for each of these entity keys, which ascend. */
function listOf(day: number, entityKeys: readonly number[], firstSequence: number): MatchList {
  const { length } = entityKeys;
  const startMs = day * MS_PER_DAY;
  return {
    startMs, endMs: startMs + MS_PER_DAY, firstMs: startMs + 5, isInOrder: true, isAscending: true, steps: new Uint32Array(length).fill(1),
    entityKeys: Uint32Array.from(entityKeys), starts: Uint32Array.from({ length: length + 1 }, (_, at) => at), times: new Uint32Array(length).fill(5),
    masks: new Uint32Array(length).fill(1), sequences: Uint32Array.from({ length }, (_, at) => firstSequence + at), keys: [],
  };
}

/** Whose matches a list has, when, and of which events. */
function matchesOf({ startMs, entityKeys, starts, times, sequences }: MatchList): (readonly [entityKey: number, ms: number, sequence: number])[] {
  return [...entityKeys].flatMap((entityKey, place) =>
    Array.from({ length: (starts[place + 1] ?? 0) - (starts[place] ?? 0) }, (_, at) => (starts[place] ?? 0) + at).map((at) => [entityKey, startMs + (times[at] ?? 0), sequences?.[at] ?? 0] as const));
}

test("Lists of 16 days become one, in which the matches of each entity key lie by time.", () => {
  const [joined, ...others] = joinedLists([listOf(35, [2, 4, 9], 10), listOf(33, [4, 7], 20), listOf(34, [1, 9], 30)]);
  expect(others).toEqual([]);
  const at = (day: number) => day * MS_PER_DAY + 5;
  expect(joined === undefined ? [] : matchesOf(joined)).toEqual([[1, at(34), 30], [2, at(35), 10], [4, at(33), 20], [4, at(35), 11], [7, at(33), 21], [9, at(34), 31], [9, at(35), 12]]);
});

test("Those of other days stay by themselves.", () => {
  expect(joinedLists([listOf(33, [1], 1), listOf(34, [1], 2), listOf(48, [1], 3)])).toHaveLength(2);
});

test("Events of one millisecond are in order where the lists are of different days.", () => {
  const isInOrder = (...days: readonly number[]) => joinedLists(days.map((day) => listOf(day, [1], day)))[0]?.isInOrder;
  expect(isInOrder(33, 34)).toBe(true);
  expect(isInOrder(33, 34, 33)).toBe(false);
  const [joined] = joinedLists([listOf(33, [1], 1), listOf(35, [1], 2)]);
  expect(joined === undefined ? null : joinedLists([joined, listOf(34, [1], 3)])[0]?.isInOrder).toBe(false);
});

test("Some thousand entity keys are copied in one step.", () => {
  const entityKeys = Array.from({ length: 10_000 }, (_, at) => at + 1);
  const stepCount = [...steps.joinedLists([listOf(33, entityKeys, 1), listOf(34, entityKeys, 20_000)])].length;
  expect(stepCount).toBeGreaterThanOrEqual(20_000 / 4_096);
});
