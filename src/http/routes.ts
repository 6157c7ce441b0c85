import type { Route } from "./route.js";
import { analyticsRoutes } from "./routes/analytics.js";
import { companyRoutes } from "./routes/companies.js";
import { contentRoutes } from "./routes/contents.js";
import { exportRoutes } from "./routes/exports.js";
import { identityRoutes } from "./routes/identities.js";
import { operationRoutes } from "./routes/operations.js";
import { privacyRoutes } from "./routes/privacy.js";
import { questionRoutes } from "./routes/questions.js";
import { revenueRoutes } from "./routes/revenue.js";
import { writingRoutes } from "./routes/writing.js";

/** Every route: what is not in this table does not answer. */
export const routes: readonly Route[] = [
  ...analyticsRoutes,
  ...identityRoutes,
  ...revenueRoutes,
  ...companyRoutes,
  ...privacyRoutes,
  ...questionRoutes,
  ...contentRoutes,
  ...exportRoutes,
  ...writingRoutes,
  ...operationRoutes,
];
