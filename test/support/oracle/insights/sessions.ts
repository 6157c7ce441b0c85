import type { OracleEvent } from "../event.js";
import type { Span } from "../instant.js";
import { byMoment } from "../moment.js";
import { sessionsOf, type Session } from "../sessions.js";
import { isWithin } from "./buckets.js";
import { eventsByEntity } from "./entities.js";
import type { Query } from "./query.js";

/** All sessions of the project, by their first event. */
export function allSessions({ world, all }: Query): Session[] {
  const sessions = eventsByEntity(world, all, "identity").flatMap((events) => sessionsOf(events, world.revenue, world.rules));
  return sessions.sort(([a], [b]) => byMoment(a, b));
}

/** S: the sessions that start in the range and have a matching event. */
export function matchingSessions(query: Query, range: Span): Session[] {
  return allSessions(query)
    .filter(([{ createdAtMs }]) => isWithin(createdAtMs, range))
    .filter((session) => session.some((event) => query.matching.includes(event)));
}

/** The path of an event's url, `""` where it has none. */
export function pathOf({ record }: OracleEvent): string {
  return record.url.split(/[?#]/)[0] ?? "";
}

/** The path of the last event with a url, `""` where none has one. */
export function exitPathOf(session: Session): string {
  const last = session.filter(({ record }) => record.url !== "").at(-1);
  return last === undefined ? "" : pathOf(last);
}
