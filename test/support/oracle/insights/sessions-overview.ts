import type { SessionFigures, SessionPage, SessionsOverview } from "../../../../src/query/plan/insights/answers.js";
import type { SessionsOverviewInput } from "../../../../src/query/plan/input.js";
import { byCodePoint } from "../json.js";
import { durationMs, type Session } from "../sessions.js";
import type { World } from "../world.js";
import { byValues, combinationsOf, groupsOf, restOf, shownCount } from "./breakdown.js";
import { axisOf, isWithin } from "./buckets.js";
import { averageOf, percentileOf, rateOf, secondsOf, type Fraction } from "./exact.js";
import { queryOf, userCount, type Bare } from "./query.js";
import { exitPathOf, matchingSessions, pathOf } from "./sessions.js";

export function sessionsOverview(world: World, input: SessionsOverviewInput): Bare<SessionsOverview> {
  const query = queryOf(world, input);
  const sessions = matchingSessions(query, query.range);
  const startsMs = sessions.map(([first]) => first.createdAtMs);
  const slots = axisOf(query.calendar, input.interval ?? "total", query.range, startsMs, world.rules.nowMs);
  const breakdown = input.breakdown ?? null;
  const combine = combinationsOf(world, breakdown);
  const combinations = ([first]: Session) => combine(first);
  const groups = breakdown === null ? [] : groupsOf(sessions, combinations);
  groups.sort((a, b) => b.own.length - a.own.length || byValues(a.values, b.values));
  const shown = breakdown === null ? [] : groups.slice(0, shownCount(breakdown));
  const rest = breakdown?.rest === true ? restOf(sessions, combinations, shown.map(({ values }) => values)) : null;
  return {
    buckets: slots.map((slot) => ({ ...slot.bucket, ...sessionFigures(world, sessions.filter(([first]) => isWithin(first.createdAtMs, slot))) })),
    total: sessionFigures(world, sessions),
    rows: breakdown === null ? null : shown.map(({ values, own }) => ({ values, figures: sessionFigures(world, own) })),
    rest: rest === null ? null : sessionFigures(world, rest),
    valueCount: groups.length,
    entryPages: pagesOf(sessions, ([first]) => pathOf(first), input),
    exitPages: pagesOf(sessions, exitPathOf, input),
  };
}

/** What some sessions come to. */
export function sessionFigures(world: World, sessions: readonly Session[]): SessionFigures {
  const events = sessions.flat();
  const pageviews = events.filter(({ record }) => world.rules.pageviewSlugs.includes(record.slug)).length;
  const bounces = bounceCount(sessions);
  const durations = sessions.map((session) => BigInt(durationMs(session)));
  return {
    sessions: sessions.length,
    users: userCount(world, sessions.map(([first]) => first)),
    events: events.length,
    pageviews,
    bounces,
    bounceRate: rateOf(bounces, sessions.length),
    durationAvgSec: seconds(averageOf(durations)),
    durationMedianSec: seconds(percentileOf(durations, 50)),
    durationP90Sec: seconds(percentileOf(durations, 90)),
    pagesPerSession: rateOf(pageviews, sessions.length),
  };
}

function pagesOf(sessions: readonly Session[], pageOf: (session: Session) => string, input: SessionsOverviewInput): SessionPage[] {
  const pages = groupsOf(sessions, (session) => [[pageOf(session)]]).map(({ values: [value = ""], own }) => {
    const bounces = bounceCount(own);
    return { value, sessions: own.length, bounces, bounceRate: rateOf(bounces, own.length) };
  });
  return pages.sort((a, b) => b.sessions - a.sessions || byCodePoint(a.value, b.value)).slice(0, input.limit ?? 10);
}

function bounceCount(sessions: readonly Session[]): number {
  return sessions.filter((session) => session.length === 1).length;
}

function seconds(ms: Fraction | null): number | null {
  return ms === null ? null : secondsOf(ms);
}
