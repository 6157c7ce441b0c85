/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the timeline */
import { parseUuid, uuidText } from "../../base/uuid.js";
import type { CursorPosition, Plan } from "../../plan/plan.js";
import { ID_COLUMN } from "../../schema/fields.js";
import { compareWithKey } from "../../segment/event-order.js";
import { whilePinned } from "../../segment/while-pinned.js";
import { subjectOf, withEventsOf } from "./identity-events.js";
import { sessionsOf } from "./identity-sessionize.js";
import type { Study } from "../form/report.js";
import { paymentsOf } from "../../table/money/revenue-table.js";
import { sessionItems } from "./session-item.js";
import type { Sessions } from "../../answer/sessionize.js";
import { moneyOn } from "./timeline-money.js";
import type { Timeline } from "../../table/people/timeline.js";

/** The sessions that start in the window, newest first, a page at a time. */
export const identitySessions: Study<"identitySessions"> = {
  kind: "study",
  tables: () => ["payments", "timelines"],
  answer: (plan, moment, missing) => {
    const { cursor, limit } = plan;
    const subject = subjectOf(plan, moment);
    const table = moment.tables.revenue(plan.revenue, moment, missing);
    if (table === null) return null;
    const upTo = cursor?.sequence ?? moment.sequence;
    const payments = paymentsOf(table, subject.actors, moment.rates).filter(({ sequence }) => sequence <= upTo);
    const touches = moment.tables.touchMaker(plan.touch).reader();
    return withEventsOf(subject, moment, cursor?.sequence ?? null, async (events) => {
      const { timeline, pause } = events;
      const money = await moneyOn(timeline, payments);
      const sessions = await sessionsOf(timeline, money, plan.session, pause);
      // One more than the page holds tells whether there is a further one.
      const found = await newestSessions(sessions, timeline, plan, limit + 1);
      const shown = found.slice(0, limit);
      const last = found.length > limit ? shown.at(-1) : undefined;
      const spans = shown.flatMap((session) => timeline.spansOf(sessions.firsts[session]!, sessions.lasts[session]! + 1));
      return await whilePinned(spans.map(({ rows }) => rows), async () => ({
        identityId: events.identities.identityId(events.identity),
        sessions: await sessionItems(shown, sessions, money, touches, plan, events),
        next: last === undefined ? null : positionOf(sessions.firsts[last]!, timeline, cursor?.sequence ?? events.sequence),
      }));
    });
  },
};

/** At most `count` sessions of the window that lie behind the cursor, newest first. */
async function newestSessions(
  { count: total, firsts }: Sessions,
  timeline: Timeline,
  { window: { fromMs, toMs }, cursor }: Plan<"identitySessions">,
  count: number,
): Promise<number[]> {
  const found: number[] = [];
  for (let session = total - 1; session >= 0 && found.length < count; session -= 1) {
    const startMs = timeline.times[firsts[session]!]!;
    if (startMs < fromMs) break;
    if (startMs < toMs && (cursor === null || (await isBehind(firsts[session]!, timeline, cursor)))) found.push(session);
  }
  return found;
}

/** Events are in order, so sessions are in the order of their first events. */
async function isBehind(at: number, timeline: Timeline, { createdAtMs, id, project }: CursorPosition): Promise<boolean> {
  const ms = timeline.times[at]!;
  if (ms !== createdAtMs) return ms < createdAtMs;
  const rows = timeline.rowsAt(at);
  return await whilePinned([rows], async () => {
    await rows.load([ID_COLUMN]);
    return compareWithKey(rows, timeline.rows[at]!, { id: parseUuid(id) ?? new Uint8Array(16), project }) < 0;
  });
}

/** Of an event whose id is loaded. */
function positionOf(at: number, timeline: Timeline, sequence: number): CursorPosition {
  const [rows, row] = [timeline.rowsAt(at), timeline.rows[at]!];
  return { createdAtMs: timeline.times[at]!, id: uuidText(rows.ids(), row * 16), project: rows.projectOf(row), sequence };
}
