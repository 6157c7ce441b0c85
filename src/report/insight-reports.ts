import type { InsightPlans } from "../plan/insights/plan.js";
import type { Report } from "./form/report.js";
import { funnel } from "./funnel/funnel.js";
import { lifecycle } from "./returns/lifecycle.js";
import { retention } from "./returns/retention.js";
import { stickiness } from "./returns/stickiness.js";
import { trend } from "./trend/trend.js";
import { paths } from "./visits/paths.js";
import { sessionsOverview } from "./visits/sessions-overview.js";
import { webOverview } from "./visits/web-overview.js";

/** The insights by their names: a file of their own, which is loaded when the first of them is asked. */
export const insightReports: { readonly [K in keyof InsightPlans]: Report<K> } = {
  trend,
  funnel,
  retention,
  lifecycle,
  stickiness,
  paths,
  sessionsOverview,
  webOverview,
};
