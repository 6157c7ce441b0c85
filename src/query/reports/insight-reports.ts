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

/** The insight reports by name, in a separate file that is loaded when the first of them is requested. */
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
