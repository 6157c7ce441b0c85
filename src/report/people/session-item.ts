/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the timeline */
import { hash128, toHex } from "../../base/hash.js";
import { isoOf } from "../../base/time.js";
import { codeAt } from "../../column/column.js";
import type { SessionItem } from "../../plan/answers.js";
import type { Plan } from "../../plan/plan.js";
import { ID_COLUMN } from "../../schema/fields.js";
import type { Rows } from "../../segment/rows.js";
import { RecordReader } from "../../segment/record-reader.js";
import type { SubjectEvents } from "./identity-events.js";
import { ZERO, addMoney, majorUnits } from "../../answer/money.js";
import { pageviewCodes } from "./pageviews.js";
import type { Sessions } from "../../answer/sessionize.js";
import type { TimelineMoney } from "./timeline-money.js";
import type { Timeline } from "../../table/people/timeline.js";
import type { TouchReader } from "../../table/touches/touch-maker.js";

const ENTRY_COLUMNS = [
  "project", "url", "referrer", "device", "os", "browser", "screen", "language", "location_country", "location_region", "location_city",
] as const;

/** Builds what is shown of some sessions. Only the segments of their events are read. */
export async function sessionItems(
  shown: readonly number[],
  sessions: Sessions,
  money: TimelineMoney,
  touches: TouchReader,
  plan: Plan<"identitySessions">,
  { timeline, dictionaries, pause }: SubjectEvents,
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
    const told = tellEvents(session, sessions, timeline, money, pageviews);
    const entry = (column: (typeof ENTRY_COLUMNS)[number]) => reader.text(rows, row, column) || null;
    const campaign = touches.campaign(rows, row);
    return {
      sessionId: `ses_${toHex(hash128("session", reader.id(rows, row)))}`,
      project: reader.text(rows, row, "project"),
      startedAt: isoOf(startMs),
      endedAt: isoOf(endMs),
      durationSec: (endMs - startMs) / 1000,
      events: sessions.eventCounts[session]!,
      pageviews: told.pageviewCount,
      isBounce: sessions.eventCounts[session] === 1,
      entryUrl: entry("url"),
      exitUrl: told.exit === null ? null : reader.text(told.exit.rows, told.exit.row, "url"),
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
      revenue: majorUnits(told.revenue, plan.revenue.currency),
    };
  });
}

/** What all events of one session tell together. */
function tellEvents(
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
