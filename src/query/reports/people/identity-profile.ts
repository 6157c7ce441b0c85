import { dayOf, isoOf } from "../../../core/base/time.js";
import { subjectOf, withEventsOf, sessionsOf, pageviewCodes, moneyOn, type TimelineMoney } from "./identity-events.js";
import { ZERO, addMoney, majorUnits, type Money } from "../../answer/money.js";
import type { Study } from "../form/report.js";
import { paymentsOf } from "../../tables/money/revenue-table.js";
import { sessionFigures } from "../../answer/sessionize.js";
import { rankCounts } from "../../answer/ranked-items.js";

/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the timeline */
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
/* eslint-enable @typescript-eslint/no-non-null-assertion */

/** The referrers of an identity within the window: events per referrer, as stored. */
export const identityReferrers: Study<"identityReferrers"> = {
  kind: "study",
  tables: () => ["timelines"],
  answer: (plan, moment) => {
    const { window, limit } = plan;
    return withEventsOf(subjectOf(plan, moment), moment, null, async ({ identity, identities, timeline, dictionaries, pause }) => {
      const [codes] = await timeline.codes(["referrer"], pause, timeline.firstAt(window.fromMs), timeline.firstAt(window.toMs));
      const { values, counts } = countCodes(codes);
      const dictionary = dictionaries.named("referrer");
      const items = rankCounts(counts, { propertyOf: (place) => dictionary.valueOf(values[place] ?? 0) }, limit);
      return {
        identityId: identities.identityId(identity),
        referrers: items.map(({ property, count }) => ({ referrer: property, count })),
      };
    });
  },
};

/** Distinct codes except 0, and the count of each. */
function countCodes(codes: Uint32Array): { values: number[]; counts: Uint32Array } {
  const countOf = new Map<number, number>();
  for (const code of codes) if (code !== 0) countOf.set(code, (countOf.get(code) ?? 0) + 1);
  return { values: [...countOf.keys()], counts: Uint32Array.from(countOf.values()) };
}
