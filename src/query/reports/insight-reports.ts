// One lazily loaded chunk for all insights and segments: with a chunk for each, the bundler would move the modules they share out of the core.
export { funnel } from "./funnel/funnel.js";
export { lifecycle } from "./returns/lifecycle.js";
export { retention } from "./returns/retention.js";
export { stickiness } from "./returns/stickiness.js";
export { trend } from "./trend/trend.js";
export { paths } from "./visits/paths.js";
export { sessionsOverview } from "./visits/sessions-overview.js";
export { webOverview } from "./visits/web-overview.js";
export { PeopleSegments } from "./people-segments.js";
