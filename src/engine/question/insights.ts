// What insights and segments take, in one piece that is loaded when the first is asked: apart, they would take what they share out of the core.
export { insightReports } from "../../report/insight-reports.js";
export { askPast } from "./past.js";
export { AskedSegments } from "./segment-members.js";
