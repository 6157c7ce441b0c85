import type { OracleEvent } from "./event.js";
import { byMoment } from "./moment.js";
import type { Revenue } from "./revenue.js";
import type { Rules } from "./rules.js";

/** Events of one identity in one project without a long pause: at least one, in order of time and id. */
export type Session = readonly [OracleEvent, ...OracleEvent[]];

/** All sessions of one identity's events, by their first event. Payments from servers, without page, take no part. */
export function sessionsOf(events: readonly OracleEvent[], revenue: Revenue, { gapMs, maxMs }: Rules): Session[] {
  const sessions: [OracleEvent, ...OracleEvent[]][] = [];
  for (const event of events) {
    if (revenue.isPayment(event) && event.record.hostname === "" && event.record.url === "") continue;
    const current = sessions.filter(([first]) => first.record.project === event.record.project).at(-1);
    if (current === undefined || isLater(current, event, gapMs, maxMs)) sessions.push([event]);
    else current.push(event);
  }
  return sessions.sort(([a], [b]) => byMoment(a, b));
}

/** Milliseconds from the first event of a session to its last. */
export function durationMs(session: Session): number {
  return (session.at(-1)?.createdAtMs ?? 0) - session[0].createdAtMs;
}

function isLater(session: Session, { createdAtMs }: OracleEvent, gapMs: number, maxMs: number): boolean {
  const pauseMs = createdAtMs - (session.at(-1)?.createdAtMs ?? 0);
  return pauseMs > gapMs || createdAtMs - session[0].createdAtMs > maxMs;
}
