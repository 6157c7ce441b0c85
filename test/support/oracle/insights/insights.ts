import type {
  Funnel, Lifecycle, Paths, Retention, SessionsOverview, Stickiness, Trend, WebOverview,
} from "../../../../src/query/plan/insights/answers.js";
import type {
  FunnelInput, LifecycleInput, PathsInput, RetentionInput, SessionsOverviewInput, StickinessInput, TrendInput, WebOverviewInput,
} from "../../../../src/query/plan/input.js";
import type { World } from "../world.js";
import { funnel } from "./funnel.js";
import { lifecycle } from "./lifecycle.js";
import { paths } from "./paths.js";
import type { Bare } from "./query.js";
import { retention } from "./retention.js";
import { sessionsOverview } from "./sessions-overview.js";
import { stickiness } from "./stickiness.js";
import { trend } from "./trend.js";
import { webOverview } from "./web-overview.js";

/** What the methods of a Daybook with these names answer, but for `definition` and `asOf`. A number as `asOf` is not taken. */
export interface Insights {
  /** What `trend` is to answer: a figure over time. */
  trend(input?: TrendInput): Bare<Trend>;
  /** What `funnel` is to answer: who went how far through steps. */
  funnel(input: FunnelInput): Bare<Funnel>;
  /** What `retention` is to answer: who came back when. */
  retention(input?: RetentionInput): Bare<Retention>;
  /** What `lifecycle` is to answer: who was new, came back, or stayed away. */
  lifecycle(input?: LifecycleInput): Bare<Lifecycle>;
  /** What `stickiness` is to answer: on how many days people were active. */
  stickiness(input?: StickinessInput): Bare<Stickiness>;
  /** What `paths` is to answer: the ways through sessions. */
  paths(input?: PathsInput): Bare<Paths>;
  /** What `sessionsOverview` is to answer: sessions, and how long and deep they were. */
  sessionsOverview(input?: SessionsOverviewInput): Bare<SessionsOverview>;
  /** What `webOverview` is to answer: the figures of a web site. */
  webOverview(input?: WebOverviewInput): Bare<WebOverview>;
}

export function insightsOf(world: World): Insights {
  return {
    trend: (input = {}) => trend(world, input),
    funnel: (input) => funnel(world, input),
    retention: (input = {}) => retention(world, input),
    lifecycle: (input = {}) => lifecycle(world, input),
    stickiness: (input = {}) => stickiness(world, input),
    paths: (input = {}) => paths(world, input),
    sessionsOverview: (input = {}) => sessionsOverview(world, input),
    webOverview: (input = {}) => webOverview(world, input),
  };
}
