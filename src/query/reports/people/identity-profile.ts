/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the timeline */
import { dayOf, isoOf } from "../../../core/base/time.js";
import { subjectOf, withEventsOf } from "./identity-events.js";
import { sessionsOf } from "./identity-sessionize.js";
import { ZERO, addMoney, majorUnits, type Money } from "../../answer/money.js";
import { pageviewCodes } from "./pageviews.js";
import type { Study } from "../form/report.js";
import { paymentsOf } from "../../tables/money/revenue-table.js";
import { sessionFigures } from "../../answer/session-figures.js";
import { moneyOn, type TimelineMoney } from "./timeline-money.js";

/** Figures of an identity's activity within the window. */
export const identityProfile: Study<"identityProfile"> = {
  kind: "study",
  tables: () => ["payments", "timelines"],
  answer: (plan, moment, missing) => {
    const { window, session, pageviewSlugs, revenue } = plan;
    const subject = subjectOf(plan, moment);
    const table = moment.tables.revenue(revenue, moment, missing);
    if (table === null) return null;
    const payments = paymentsOf(table, subject.actors, moment.rates);
    return withEventsOf(subject, moment, null, async ({ identity, identities, timeline, dictionaries, pause }) => {
      const money = await moneyOn(timeline, payments);
      const from = timeline.firstAt(window.fromMs);
      const to = timeline.firstAt(window.toMs);
      const pageviews = pageviewCodes(dictionaries, pageviewSlugs);
      const [slugs] = await timeline.codes(["slug"], pause, from, to);
      return {
        identityId: identities.identityId(identity),
        events: to - from,
        pageviews: slugs.reduce((count, slug) => count + (pageviews.has(slug) ? 1 : 0), 0),
        ...sessionFigures(await sessionsOf(timeline, money, session, pause), timeline.times, window),
        activeDays: countDays(timeline.times.subarray(from, to)),
        firstSeen: timeline.count === 0 ? null : isoOf(timeline.times[0]!),
        lastSeen: timeline.count === 0 ? null : isoOf(timeline.times[timeline.count - 1]!),
        revenue: majorUnits(sumAmounts(money, from, to), revenue.currency),
        currency: revenue.currency,
      };
    });
  },
};

/** Number of distinct days. @param times ascending */
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

/** Revenue of the events `[from, to)`. */
function sumAmounts(money: TimelineMoney, from: number, to: number): Money {
  let sum = ZERO;
  for (const [at, amount] of money) if (at >= from && at < to && amount !== null) sum = addMoney(sum, amount);
  return sum;
}
