import type { WebFigures } from "../../plan/insights/answers.js";
import type { TouchDimension } from "../../plan/plan.js";
import { rateOf } from "../numbers/shown.js";
import { averageOf, sumsOf } from "./session-figures.js";
import type { Visits } from "./visits.js";

/** How long ago somebody online was last seen, at most. */
export const ONLINE_MS = 5 * 60_000;

/** The figures of a site: of events their visitors and page views, and visits. */
export async function webFigures(visitors: number, views: number, visits: Visits, pause: () => Promise<void>): Promise<WebFigures> {
  const sums = await sumsOf(visits, pause);
  return {
    visitors,
    views,
    visits: sums.sessions,
    viewsPerVisit: rateOf(sums.pageviews, sums.sessions),
    bounceRate: rateOf(sums.bounces, sums.sessions),
    durationAvgSec: averageOf(sums),
  };
}

/** What visits are called that nobody brought. */
export const NO_TOUCH: Readonly<Record<TouchDimension, string>> = { source: "(direct)", medium: "(none)", campaign: "(none)" };
/** The same of those whose touch does not tell. */
export const NOT_SET = "(not set)";
