/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the timeline */
import { parseUuid, uuidText } from "../../../core/base/uuid.js";
import type { CursorPosition, FoundSessions, IdentitySessionsPlan } from "../../plan/plan.js";
import { ID_COLUMN } from "../../../core/schema/fields.js";
import { compareWithKey } from "../../../storage/segment/event-order.js";
import { whilePinned, type Rows } from "../../../storage/segment/rows.js";
import { paymentsOf } from "../../tables/money/payments.js";
import type { Sessions } from "../../answer/sessionize.js";
import type { Timeline } from "../../tables/people/timelines.js";
import { hash128, toHex } from "../../../core/base/hash.js";
import { isoOf } from "../../../core/base/time.js";
import { codeAt } from "../../../storage/column/column.js";
import type { SessionItem } from "../../plan/answers.js";
import { RecordReader } from "../../../storage/segment/record-reader.js";
import { ZERO, addMoney, majorUnits } from "../../answer/money.js";
import type { TouchReader } from "../../tables/touches/touch-facts.js";
import type { TableReport } from "../form/report.js";
import { personOf, withEventsOf, sessionsOf, moneyOn, pageviewCodes, type PersonEvents, type TimelineMoney } from "./identity-profile.js";

const ENTRY_COLUMNS = [
  "project", "url", "referrer", "device", "os", "browser", "screen", "language", "location_country", "location_region", "location_city",
] as const;

/** Builds the shown items of some sessions. Reads only the segments of their events. */
async function sessionItems(
  shown: readonly number[],
  sessions: Sessions,
  money: TimelineMoney,
  touches: TouchReader,
  plan: IdentitySessionsPlan,
  { timeline, dictionaries, pause }: PersonEvents,
): Promise<SessionItem[]> {
  const firstColumns = [ID_COLUMN, ...ENTRY_COLUMNS, ...touches.columns];
  for (const session of shown) {
    await pause();
    await timeline.rowsAt(sessions.firsts[session]!).load(firstColumns);
    for (const { rows } of timeline.spansOf(sessions.firsts[session]!, sessions.lasts[session]! + 1)) await rows.load(["slug", "url"]);
  }
  const reader = new RecordReader(dictionaries);
  const pageviews = pageviewCodes(dictionaries, plan.pageviewSlugs);
  return shown.map((session) => {
    const first = sessions.firsts[session]!;
    const [rows, row] = [timeline.rowsAt(first), timeline.rows[first]!];
    const startMs = timeline.times[first]!;
    const endMs = timeline.times[sessions.lasts[session]!]!;
    const figures = eventFigures(session, sessions, timeline, money, pageviews);
    const entry = (column: (typeof ENTRY_COLUMNS)[number]) => reader.text(rows, row, column) || null;
    const campaign = touches.campaign(rows, row);
    return {
      sessionId: `ses_${toHex(hash128("session", reader.id(rows, row)))}`,
      project: reader.text(rows, row, "project"),
      startedAt: isoOf(startMs),
      endedAt: isoOf(endMs),
      durationSec: (endMs - startMs) / 1000,
      events: sessions.eventCounts[session]!,
      pageviews: figures.pageviewCount,
      isBounce: sessions.eventCounts[session] === 1,
      entryUrl: entry("url"),
      exitUrl: figures.exit === null ? null : reader.text(figures.exit.rows, figures.exit.row, "url"),
      referrer: entry("referrer"),
      utmSource: campaign?.source ?? null,
      utmMedium: campaign?.medium ?? null,
      utmCampaign: campaign?.campaign ?? null,
      device: entry("device"),
      os: entry("os"),
      browser: entry("browser"),
      screen: entry("screen"),
      language: entry("language"),
      locationCountry: entry("location_country"),
      locationRegion: entry("location_region"),
      locationCity: entry("location_city"),
      revenue: majorUnits(figures.revenue, plan.revenue.currency),
    };
  });
}

function eventFigures(
  session: number,
  { firsts, lasts, sessionOf }: Sessions,
  timeline: Timeline,
  money: TimelineMoney,
  pageviews: ReadonlySet<number>,
) {
  let pageviewCount = 0;
  let revenue = ZERO;
  let exit: { readonly rows: Rows; readonly row: number } | null = null;
  for (const { rows, from, to } of timeline.spansOf(firsts[session]!, lasts[session]! + 1)) {
    const slugs = rows.column("slug");
    const urls = rows.column("url");
    for (let at = from; at < to; at += 1) {
      if (sessionOf[at] !== session) continue;
      const row = timeline.rows[at]!;
      if (pageviews.has(codeAt(slugs, row))) pageviewCount += 1;
      if (codeAt(urls, row) !== 0) exit = { rows, row };
      const amount = money.get(at) ?? null;
      if (amount !== null) revenue = addMoney(revenue, amount);
    }
  }
  return { pageviewCount, revenue, exit };
}

/** The sessions of an identity that start in the window, newest first, one page at a time. */
export const identitySessions: TableReport<IdentitySessionsPlan, FoundSessions> = {
  answer: (plan, moment, pending) => {
    const { cursor, limit } = plan;
    const person = personOf(plan, moment);
    const table = moment.tables.revenue(plan.revenue, moment, pending);
    if (table === null) return null;
    const upTo = cursor?.sequence ?? moment.sequence;
    const payments = paymentsOf(table, person.actors, moment.rates).filter(({ sequence }) => sequence <= upTo);
    const touches = moment.tables.touchMaker(plan.touch).reader();
    return withEventsOf(person, moment, cursor?.sequence ?? null, async (events) => {
      const { timeline, pause } = events;
      const money = await moneyOn(timeline, payments);
      const sessions = await sessionsOf(timeline, money, plan.session, pause);
      // One more than the page size, to detect a further page.
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

/** At most `count` sessions of the window after the cursor, newest first. */
async function newestSessions(
  { count: total, firsts }: Sessions,
  timeline: Timeline,
  { window: { fromMs, toMs }, cursor }: IdentitySessionsPlan,
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

/** Whether a session comes after the cursor: events are in order, so sessions are in the order of their first events. */
async function isBehind(at: number, timeline: Timeline, { createdAtMs, id, project }: CursorPosition): Promise<boolean> {
  const ms = timeline.times[at]!;
  if (ms !== createdAtMs) return ms < createdAtMs;
  const rows = timeline.rowsAt(at);
  return await whilePinned([rows], async () => {
    await rows.load([ID_COLUMN]);
    return compareWithKey(rows, timeline.rows[at]!, { id: parseUuid(id) ?? new Uint8Array(16), project }) < 0;
  });
}

/** The id of the event must be loaded. */
function positionOf(at: number, timeline: Timeline, sequence: number): CursorPosition {
  const [rows, row] = [timeline.rowsAt(at), timeline.rows[at]!];
  return { createdAtMs: timeline.times[at]!, id: uuidText(rows.ids(), row * 16), project: rows.projectOf(row), sequence };
}
