import type { ReportName } from "../plan/plan.js";
import { aggregate } from "./aggregate.js";
import { countEvents } from "./count-events.js";
import { countEventsPerDay } from "./count-events-per-day.js";
import { countEventsRunningTotalPerDay } from "./count-events-running-total-per-day.js";
import { countUniqueUsers } from "./count-unique-users.js";
import { countUniqueUsersPerDay } from "./count-unique-users-per-day.js";
import type { Report } from "./report.js";
import { searchEvents } from "./search-events.js";

/** Every report by its name. The compiler lists each one that is missing; states are each report's own affair. */
export const reports: { readonly [K in ReportName]: Report<K, unknown> } = {
  countEvents,
  countEventsPerDay,
  countEventsRunningTotalPerDay,
  countUniqueUsers,
  countUniqueUsersPerDay,
  aggregate,
  searchEvents,
};
