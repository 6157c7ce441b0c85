import type { WebFigures, WebOverview, WebVisits } from "../../../../src/query/plan/insights/answers.js";
import type { WebOverviewInput } from "../../../../src/query/plan/input.js";
import type { OracleEvent } from "../event.js";
import { byCodePoint } from "../json.js";
import type { Span } from "../instant.js";
import type { Session } from "../sessions.js";
import type { Touch } from "../touch.js";
import { shownLabel } from "../touch-label.js";
import type { World } from "../world.js";
import { groupsOf } from "./breakdown.js";
import { axisOf, isWithin } from "./buckets.js";
import { comparedRange } from "./compare.js";
import { queryOf, userCount, within, type Bare, type Query } from "./query.js";
import { sessionFigures } from "./sessions-overview.js";
import { exitPathOf, matchingSessions, pathOf } from "./sessions.js";

const ONLINE_MS = 5 * 60_000;

export function webOverview(world: World, input: WebOverviewInput): Bare<WebOverview> {
  const query = queryOf(world, input);
  const { nowMs } = world.rules;
  const limit = input.limit ?? 10;
  const compare = input.compare ?? null;
  const sessions = matchingSessions(query, query.range);
  const byFirst = (valueOf: (first: OracleEvent) => string) => visitsOf(world, sessions, ([first]) => valueOf(first), limit);
  const byTouch = (dimension: keyof Touch) => byFirst((first) => shownLabel(world.touchOf(first) ?? undefined, dimension));
  return {
    nowOnline: userCount(world, query.all.filter(({ createdAtMs }) => createdAtMs >= nowMs - ONLINE_MS && createdAtMs <= nowMs + ONLINE_MS)),
    figures: figuresOf(query, query.range),
    previous: compare === null ? null : figuresOf(query, comparedRange(query.calendar, input.interval ?? null, query.range, compare)),
    chart: chartOf(query, input),
    pages: pagesOf(world, within(query.matching, query.range), limit),
    entryPages: byFirst(pathOf),
    exitPages: visitsOf(world, sessions, exitPathOf, limit),
    sources: byTouch("source"),
    mediums: byTouch("medium"),
    campaigns: byTouch("campaign"),
    countries: byFirst(({ record }) => record.locationCountry),
    devices: byFirst(({ record }) => record.device),
    browsers: byFirst(({ record }) => record.browser),
    systems: byFirst(({ record }) => record.os),
  };
}

function figuresOf(query: Query, range: Span): WebFigures {
  const { world } = query;
  const events = within(query.matching, range);
  const figures = sessionFigures(world, matchingSessions(query, range));
  return {
    visitors: userCount(world, events),
    views: events.filter((event) => isPageview(world, event)).length,
    visits: figures.sessions,
    viewsPerVisit: figures.pagesPerSession,
    bounceRate: figures.bounceRate,
    durationAvgSec: figures.durationAvgSec,
  };
}

function chartOf(query: Query, input: WebOverviewInput): WebOverview["chart"] {
  const { world, calendar, range } = query;
  const interval = input.interval ?? null;
  if (interval === null) return null;
  const sessions = matchingSessions(query, range);
  const events = within(query.matching, range);
  const timesMs = [...events, ...sessions.map(([first]) => first)].map(({ createdAtMs }) => createdAtMs);
  return axisOf(calendar, interval, range, timesMs, world.rules.nowMs).map((slot) => ({
    ...slot.bucket,
    visitors: userCount(world, within(events, slot)),
    views: within(events, slot).filter((event) => isPageview(world, event)).length,
    visits: sessions.filter(([first]) => isWithin(first.createdAtMs, slot)).length,
  }));
}

function pagesOf(world: World, events: readonly OracleEvent[], limit: number): WebOverview["pages"] {
  const views = events.filter((event) => isPageview(world, event));
  const pages = groupsOf(views, (event) => [[pathOf(event)]]).map(({ values: [value = ""], own }) => {
    return { value, visitors: userCount(world, own), views: own.length };
  });
  return pages.sort((a, b) => b.visitors - a.visitors || b.views - a.views || byCodePoint(a.value, b.value)).slice(0, limit);
}

function visitsOf(world: World, sessions: readonly Session[], valueOf: (session: Session) => string, limit: number): WebVisits[] {
  const rows = groupsOf(sessions, (session) => [[valueOf(session)]]).map(({ values: [value = ""], own }) => {
    return { value, visitors: userCount(world, own.map(([first]) => first)), visits: own.length };
  });
  return rows.sort((a, b) => b.visitors - a.visitors || b.visits - a.visits || byCodePoint(a.value, b.value)).slice(0, limit);
}

function isPageview({ rules }: World, { record }: OracleEvent): boolean {
  return rules.pageviewSlugs.includes(record.slug);
}
