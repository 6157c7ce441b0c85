// All code of insights and segments in one chunk, loaded with the first: split up, it would pull what the chunks share out of the core.
export { insightReports } from "../../query/reports/insight-reports.js";
export { runAsOf } from "./past.js";
export { NamedSegments } from "./segment-members.js";
