import type { WebFigures } from "../../plan/insights/answers.js";
import type { TouchDimension } from "../../plan/plan.js";
import { rateOf } from "../numbers/shown.js";
import { averageOf, sumsOf } from "./session-figures.js";
import type { Visits } from "./visits.js";

/** An entity counts as online for this long after its last event. */
export const ONLINE_MS = 5 * 60_000;

/** The figures of a website: visitors and views of its events, and the visits. */
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

/** The names for visits without a touch. */
export const NO_TOUCH: Readonly<Record<TouchDimension, string>> = { source: "(direct)", medium: "(none)", campaign: "(none)" };
/** The name for visits whose touch lacks the dimension. */
export const NOT_SET = "(not set)";
