/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the timeline */
import { dayOf, isoOf } from "../base/time.js";
import { addPart, beginIdentity, mergeParts, timelineOfIdentity, type IdentityRows } from "./identity-rows.js";
import { sessionsOf } from "./identity-sessionize.js";
import { ZERO, addMoney, majorUnits, type Money } from "./money.js";
import { pageviewCodes } from "./pageviews.js";
import type { Report } from "./report.js";
import { revenueTable, type RevenueTable } from "./revenue-table.js";
import { sessionFigures } from "./session-figures.js";
import type { Timeline } from "./timeline.js";

/** What the identity did within the window, in figures. */
export const identityProfile: Report<"identityProfile", IdentityRows> = {
  keepsRows: true,
  columns: () => [],
  begin: beginIdentity,
  scan: addPart,
  merge: mergeParts,
  finish: async (state, { window, session, pageviewSlugs, revenue }, context) => {
    const timeline = await timelineOfIdentity(state, context);
    const table = await revenueTable(state.parts, revenue, context);
    const from = timeline.firstAt(window.fromMs);
    const to = timeline.firstAt(window.toMs);
    const pageviews = pageviewCodes(context.dictionaries, pageviewSlugs);
    const slugs = await timeline.codes("slug", from, to);
    return {
      identityId: context.identities.identityId(state.identity),
      events: to - from,
      pageviews: slugs.reduce((count, slug) => count + (pageviews.has(slug) ? 1 : 0), 0),
      ...sessionFigures(await sessionsOf(timeline, table, session), timeline.times, window),
      activeDays: countDays(timeline.times.subarray(from, to)),
      firstSeen: timeline.count === 0 ? null : isoOf(timeline.times[0]!),
      lastSeen: timeline.count === 0 ? null : isoOf(timeline.times[timeline.count - 1]!),
      revenue: majorUnits(sumAmounts(timeline, from, to, table), revenue.currency),
      currency: revenue.currency,
    };
  },
};

/** Distinct days of ms in order. */
function countDays(times: Float64Array): number {
  let count = 0;
  let last = -1;
  for (const ms of times) {
    const day = dayOf(ms);
    if (day !== last) count += 1;
    last = day;
  }
  return count;
}

/** What the events from `from` to before `to` brought. */
function sumAmounts(timeline: Timeline, from: number, to: number, table: RevenueTable): Money {
  let sum = ZERO;
  for (const span of timeline.spansOf(from, to))
    for (let at = span.from; at < span.to; at += 1) {
      const amount = table.amountOf(span.rows, timeline.rows[at]!);
      if (amount !== null) sum = addMoney(sum, amount);
    }
  return sum;
}
