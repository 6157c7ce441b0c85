/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are bounded by their list */
import { DURATION_PERCENTS, figuresOf, type SessionSums } from "../../answer/visits/session-figures.js";
import type { Visits } from "../../answer/visits/visits.js";
import type { Durations } from "../../answer/numbers/durations.js";
import { percentilesOfLists } from "../../answer/numbers/percentiles.js";
import type { SessionFigures } from "../../plan/insights/answers.js";
import type { SessionView } from "../../table/sessions/session-view.js";
import { byteLengthOf, countActors, countOthers, distinctOf, type DistinctActors } from "../events/distinct-actors.js";

/** What some sessions add up to, with what tells their figures together with those of others. */
export interface VisitSums extends SessionSums {
  /** Lengths of more than 0 ms, ascending. */
  readonly lengths: Durations;
  readonly users: DistinctActors;
  readonly userCount: number;
}

const SUMS_BYTES = 100;

/** Cost: some 20 ns a session. */
export function visitSumsOf({ view, sessions }: Visits<SessionView>): VisitSums {
  const { eventCounts, pageviewCounts, lengths, identities } = view.facts;
  const [longer, own] = [lengths.slice(0, sessions.length), new Uint32Array(sessions.length)];
  let [events, pageviews, bounces, durationMs, longerCount] = [0, 0, 0, 0, 0];
  for (let at = 0; at < sessions.length; at += 1) {
    const session = sessions[at]!;
    const [eventCount, length] = [eventCounts[session]!, lengths[session]!];
    events += eventCount;
    if (eventCount === 1) bounces += 1;
    pageviews += pageviewCounts[session]!;
    own[at] = identities[session]!;
    if (length === 0) continue;
    durationMs += length;
    longer[longerCount] = length;
    longerCount += 1;
  }
  const users = distinctOf(own);
  return { sessions: sessions.length, events, pageviews, bounces, durationMs, lengths: longer.slice(0, longerCount).sort(), users, userCount: countActors([users]) };
}

export function byteLengthOfSums({ lengths, users }: VisitSums): number {
  return lengths.byteLength + byteLengthOf(users) + SUMS_BYTES;
}

/** All figures of sessions that are summed in parts. Cost: a word for 32 ids in each part, and searches among lengths. */
export function figuresOfSums(parts: readonly VisitSums[]): SessionFigures {
  const all = { sessions: 0, events: 0, pageviews: 0, bounces: 0, durationMs: 0 };
  let longerCount = 0;
  for (const { sessions, events, pageviews, bounces, durationMs, lengths } of parts) {
    all.sessions += sessions;
    all.events += events;
    all.pageviews += pageviews;
    all.bounces += bounces;
    all.durationMs += durationMs;
    longerCount += lengths.length;
  }
  const percentiles = percentilesOfLists(all.sessions - longerCount, parts.map(({ lengths }) => lengths), DURATION_PERCENTS);
  return figuresOf(all, usersOf(parts), percentiles);
}

function usersOf(parts: readonly VisitSums[]): number {
  const [first, second, ...others] = parts;
  if (first === undefined || second === undefined) return first?.userCount ?? 0;
  // What came since is little beside what was kept.
  if (others.length === 0 && first.users.kind === "bits" && second.users.kind === "list") return first.userCount + countOthers(second.users.actors, first.users);
  return countActors(parts.map(({ users }) => users));
}
