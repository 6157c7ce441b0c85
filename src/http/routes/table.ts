import type { Route } from "../routing/route.js";
import { analyticsRoutes } from "./analytics.js";
import { collectRoutes } from "./browser.js";
import { clientRoutes } from "./clients.js";
import { companyRoutes, identityRoutes, revenueRoutes } from "./people.js";
import { contentRoutes, exportRoutes } from "./contents.js";
import { deletionRoutes } from "./deletions.js";
import { insightRoutes, queryRoutes } from "./insights.js";
import { operationRoutes } from "./operations.js";
import { privacyRoutes } from "./privacy.js";
import { scopeRoutes } from "./scopes.js";
import { segmentRoutes } from "./segments.js";
import { writingRoutes } from "./writing.js";

/** All routes except the files for browsers. */
export const routes: readonly Route[] = [
  ...analyticsRoutes,
  ...insightRoutes,
  ...identityRoutes,
  ...revenueRoutes,
  ...companyRoutes,
  ...segmentRoutes,
  ...scopeRoutes,
  ...privacyRoutes,
  ...deletionRoutes,
  ...queryRoutes,
  ...contentRoutes,
  ...exportRoutes,
  ...writingRoutes,
  ...collectRoutes,
  ...clientRoutes,
  ...operationRoutes,
];
