/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the counts */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { percentile90, sessionFigures, sessionize } from "../../../src/query/answer/sessionize.js";
import { baseSeed, caseCount } from "../../oracle/settings.js";

const MINUTE = 60_000;
const rule = { gapMs: 30 * MINUTE, maxMs: 24 * 60 * MINUTE };

/** Sessions as lists of event places, of one project unless said. */
function divide(times: readonly number[], projects: readonly number[] = times.map(() => 1), leftOut: readonly number[] = []): number[][] {
  const marks = new Uint8Array(times.length);
  for (const at of leftOut) marks[at] = 1;
  const { count, firsts, lasts, eventCounts, sessionOf } = sessionize(Float64Array.from(times), projects, marks, rule);
  return Array.from({ length: count }, (_, session) => {
    const events = [...sessionOf.keys()].filter((at) => sessionOf[at] === session);
    expect([firsts[session], lasts[session], eventCounts[session]]).toEqual([events[0], events.at(-1), events.length]);
    return events;
  });
}

describe("a session", () => {
  test("of no events is none", () => {
    expect(divide([])).toEqual([]);
  });

  test("goes on through a pause of exactly the gap, and ends with a longer one", () => {
    expect(divide([0, rule.gapMs, 2 * rule.gapMs + 1])).toEqual([[0, 1], [2]]);
  });

  test("lasts up to exactly its greatest length, whatever the pauses", () => {
    const steps = Array.from({ length: 98 }, (_, at) => at * 15 * MINUTE);
    expect(steps[96]).toBe(rule.maxMs);
    expect(divide(steps)).toEqual([steps.slice(0, 97).map((_, at) => at), [97]]);
  });

  test("belongs to one project: others run beside it and do not bridge its pauses", () => {
    expect(divide([0, 20 * MINUTE, 40 * MINUTE, 41 * MINUTE], [1, 2, 1, 2])).toEqual([[0], [1, 3], [2]]);
    expect(divide([0, 5, 10, 15], [1, 2, 1, 2])).toEqual([[0, 2], [1, 3]]);
  });

  test("is not bridged, begun or prolonged by events that take no part", () => {
    expect(divide([0, 20 * MINUTE, 40 * MINUTE], [1, 1, 1], [1])).toEqual([[0], [2]]);
    expect(divide([0, 1, 2], [1, 1, 1], [0, 2])).toEqual([[1]]);
    expect(divide([0, 1], [1, 1], [0, 1])).toEqual([]);
  });

  test("holds events of one millisecond, and knows no midnight", () => {
    expect(divide([86_399_999, 86_399_999, 86_400_000])).toEqual([[0, 1, 2]]);
  });
});

/** Events in order, with pauses around both bounds. */
const histories = fc
  .array(fc.tuple(fc.constantFrom(0, 1, 29 * MINUTE, rule.gapMs, rule.gapMs + 1, 600 * MINUTE), fc.constantFrom(1, 2, 3), fc.boolean()), { maxLength: 120 })
  .map((steps) => {
    let ms = 0;
    return steps.map(([pause, project, isLeftOut]) => ({ ms: (ms += pause), project, isLeftOut }));
  });

const sessionsOf = (events: readonly { ms: number; project: number; isLeftOut: boolean }[]) =>
  sessionize(
    Float64Array.from(events, ({ ms }) => ms),
    events.map(({ project }) => project),
    Uint8Array.from(events, ({ isLeftOut }) => (isLeftOut ? 1 : 0)),
    rule,
  );

const check = (law: Parameters<typeof fc.property<[Parameters<typeof sessionsOf>[0]]>>[1]) =>
  fc.assert(fc.property(histories, law), { seed: baseSeed, numRuns: caseCount(300) });

test("sessions are those of each project on its own, found the slow way", () => {
  check((events) => {
    const slow = [1, 2, 3].flatMap((project) => {
      const own: number[][] = [];
      events.forEach((event, at) => {
        if (event.project !== project || event.isLeftOut) return;
        const last = own.at(-1);
        const follows = last !== undefined && event.ms - events[last.at(-1) ?? 0]!.ms <= rule.gapMs && event.ms - events[last[0] ?? 0]!.ms <= rule.maxMs;
        if (follows) last.push(at);
        else own.push([at]);
      });
      return own;
    });
    slow.sort(([a = 0], [b = 0]) => a - b);
    const leftOut = events.flatMap(({ isLeftOut }, at) => (isLeftOut ? [at] : []));
    expect(divide(events.map(({ ms }) => ms), events.map(({ project }) => project), leftOut)).toEqual(slow);
  });
});

test("sessions, and what they last, add up over adjacent windows", () => {
  check((events) => {
    const times = Float64Array.from(events, ({ ms }) => ms);
    const sessions = sessionsOf(events);
    const endMs = (times.at(-1) ?? 0) + 1;
    const count = (fromMs: number, toMs: number) => sessionFigures(sessions, times, { fromMs, toMs }).sessions;
    for (const cutMs of [0, 1, Math.floor(endMs / 3), Math.floor(endMs / 2), endMs])
      expect(count(0, cutMs) + count(cutMs, endMs)).toBe(sessions.count);
  });
});

test("the rate times the sessions is the whole number of bounces, the average times the sessions the sum of durations", () => {
  check((events) => {
    const times = Float64Array.from(events, ({ ms }) => ms);
    const sessions = sessionsOf(events);
    const figures = sessionFigures(sessions, times, { fromMs: 0, toMs: Infinity });
    if (sessions.count === 0) {
      expect(figures).toEqual({ sessions: 0, durationAvgSec: null, durationP90Sec: null, bounceRate: null });
      return;
    }
    const bounces = [...sessions.eventCounts].filter((count) => count === 1).length;
    expect(Math.abs((figures.bounceRate ?? NaN) * sessions.count - bounces)).toBeLessThanOrEqual(0.00005 * sessions.count + 1e-9);
    const sumMs = [...sessions.firsts].reduce((sum, first, at) => sum + (times[sessions.lasts[at]!]! - times[first]!), 0);
    expect(Math.abs((figures.durationAvgSec ?? NaN) * 1000 * sessions.count - sumMs)).toBeLessThanOrEqual(0.5 * sessions.count + 1e-6);
  });
});

test("figures of known sessions", () => {
  const sessions = sessionize(Float64Array.from([0, 1_001, 5e6, 5e6 + 2, 1e7]), [1, 1, 1, 1, 1], null, rule);
  const times = Float64Array.from([0, 1_001, 5e6, 5e6 + 2, 1e7]);
  expect(sessionFigures(sessions, times, { fromMs: 0, toMs: 2e7 })).toEqual({ sessions: 3, durationAvgSec: 0.334, durationP90Sec: 0.801, bounceRate: 0.3333 });
  expect(sessionFigures(sessions, times, { fromMs: 1, toMs: 1e7 })).toEqual({ sessions: 1, durationAvgSec: 0.002, durationP90Sec: 0.002, bounceRate: 0 });
});

test.each([
  [[7], 7],
  [[0, 10], 9],
  [[0, 1], 1],
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100], 0],
  [[0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100], 90],
  [[1, 2, 3, 4], 4],
  [[0, 0, 0, 0, 0, 5], 3],
])("the 90th percentile of %j is %d", (values, expected) => {
  expect(percentile90(Float64Array.from(values))).toBe(expected);
});
