import type {
  FunnelPlan, LifecyclePlan, PathsPlan, RetentionPlan, SessionsOverviewPlan, StickinessPlan, TrendPlan, WebOverviewPlan,
} from "../plan/insights/plan.js";
import type { Funnel, Lifecycle, Paths, Retention, SessionsOverview, Stickiness, Trend, WebOverview } from "../plan/insights/answers.js";
import type { Report } from "./form/report.js";
import { funnel } from "./funnel/funnel.js";
import { lifecycle } from "./returns/lifecycle.js";
import { retention } from "./returns/retention.js";
import { stickiness } from "./returns/stickiness.js";
import { trend } from "./trend/trend.js";
import { paths } from "./visits/paths.js";
import { sessionsOverview } from "./visits/sessions-overview.js";
import { webOverview } from "./visits/web-overview.js";

/** The reports of lazy rows by name, in a file of their own. */
export interface InsightReports {
  readonly trend: Report<TrendPlan, Trend>;
  readonly funnel: Report<FunnelPlan, Funnel>;
  readonly retention: Report<RetentionPlan, Retention>;
  readonly lifecycle: Report<LifecyclePlan, Lifecycle>;
  readonly stickiness: Report<StickinessPlan, Stickiness>;
  readonly paths: Report<PathsPlan, Paths>;
  readonly sessionsOverview: Report<SessionsOverviewPlan, SessionsOverview>;
  readonly webOverview: Report<WebOverviewPlan, WebOverview>;
}

export const insightReports: InsightReports = { trend, funnel, retention, lifecycle, stickiness, paths, sessionsOverview, webOverview };
