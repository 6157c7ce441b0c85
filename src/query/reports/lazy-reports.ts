// One lazily loaded chunk for all: with a chunk for each, the bundler would move the modules they share out of the core.
export { topCompanies, companyTopUsers } from "./companies/top-companies.js";
export { funnel } from "./funnel/funnel.js";
export { identityProfile, identityReferrers, identityDeviceGeo } from "./people/identity-profile.js";
export { identitySessions } from "./people/identity-sessions.js";
export { lifecycle } from "./returns/lifecycle.js";
export { revenueByAttribution, ltvCohorts } from "./revenue/revenue.js";
export { retention } from "./returns/retention.js";
export { stickiness } from "./returns/stickiness.js";
export { trend } from "./trend/trend.js";
export { paths } from "./visits/paths.js";
export { sessionsOverview } from "./visits/sessions-overview.js";
export { webOverview } from "./visits/web-overview.js";
export { PeopleSegments } from "./people-segments.js";
