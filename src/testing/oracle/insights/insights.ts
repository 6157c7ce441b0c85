import type {
  Funnel, Lifecycle, Paths, Retention, SessionsOverview, Stickiness, Trend, WebOverview,
} from "../../../plan/insights/answers.js";
import type {
  FunnelInput, LifecycleInput, PathsInput, RetentionInput, SessionsOverviewInput, StickinessInput, TrendInput, WebOverviewInput,
} from "../../../plan/insights/input.js";
import type { World } from "../world.js";
import { funnel } from "./funnel.js";
import { lifecycle } from "./lifecycle.js";
import { paths } from "./paths.js";
import type { Bare } from "./question.js";
import { retention } from "./retention.js";
import { sessionsOverview } from "./sessions-overview.js";
import { stickiness } from "./stickiness.js";
import { trend } from "./trend.js";
import { webOverview } from "./web-overview.js";

/** What the methods of a Daybook with these names answer, but for `definition` and `asOf`. A number as `asOf` is not taken. */
export interface Insights {
  trend(input?: TrendInput): Bare<Trend>;
  funnel(input: FunnelInput): Bare<Funnel>;
  retention(input?: RetentionInput): Bare<Retention>;
  lifecycle(input?: LifecycleInput): Bare<Lifecycle>;
  stickiness(input?: StickinessInput): Bare<Stickiness>;
  paths(input?: PathsInput): Bare<Paths>;
  sessionsOverview(input?: SessionsOverviewInput): Bare<SessionsOverview>;
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
