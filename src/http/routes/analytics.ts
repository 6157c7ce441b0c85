import { z } from "zod";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import type { SearchEventsPage } from "../../query/plan/answers.js";
import type { ReportName } from "../../query/plan/plan.js";
import type { Envelope } from "../answer/error-reply.js";
import type { Scope } from "../access/token.js";
import { guarded } from "../routing/route.js";
import type { GuardedRoute, Route } from "../routing/route.js";
import { answers, wireEvent } from "../shapes/answers.js";
import { queryBodies } from "../shapes/report-query.js";
import { libraryInput } from "../wire/library-input.js";
import { runQuery } from "./run-query.js";

const V1_ANALYTICS = "/v1/projects/{project_id}/analytics";

/** A route that takes the members of a query in its body. */
function question<Body extends z.ZodObject>(
  path: string,
  summary: string,
  name: ReportName,
  body: Body,
  answer: z.ZodType,
  { scope = "analytics:read", shown = ok, more = () => ({}) }: EventRouteOptions<Body> = {},
): GuardedRoute {
  const envelope: Envelope = path.startsWith("/v1/") ? "problem" : "legacy";
  return guarded({
    method: "POST",
    path,
    summary,
    envelope,
    access: { scope },
    query: z.strictObject({}),
    body: { schema: body, maxByteLength: SERVER_LIMITS.queryBodyBytes, list: null },
    answer,
    etag: true,
    handle: async (caller, request) => {
      const input = { ...(libraryInput(body, request.body) as object), ...more(request.body), project: caller.project };
      return shown(await runQuery(name, input, caller, request));
    },
  });
}

interface EventRouteOptions<Body extends z.ZodObject> {
  readonly scope?: Scope;
  /** Converts the library's answer to that of this endpoint. */
  readonly shown?: (answer: unknown) => unknown;
  /** Input members that differ from the body. */
  readonly more?: (body: z.infer<Body>) => object;
}

function ok(data: unknown): unknown {
  return { status: "OK", data };
}

function shownPage(answer: unknown): unknown {
  const { cursor, events } = answer as SearchEventsPage;
  return { cursor, events: events.map(wireEvent) };
}

const bodies = queryBodies;

/** Routes for counts, aggregates and search. */
export const analyticsRoutes: readonly Route[] = [
  question("/analytics/count-events", "Counts events", "countEvents", bodies.countEvents, answers.count),
  question("/analytics/count-events-per-day", "Counts events per UTC day", "countEventsPerDay", bodies.perDay, answers.perDay),
  question("/analytics/count-unique-users", "Counts unique users", "countUniqueUsers", bodies.uniqueUsers, answers.count),
  question("/analytics/count-unique-users-per-day", "Counts unique users per UTC day", "countUniqueUsersPerDay", bodies.uniqueUsersPerDay, answers.perDay),
  question("/analytics/aggregate", "Counts events, or people, by the values of a field", "aggregate", bodies.aggregate, answers.aggregate),
  question("/search-events", "Lists events, newest first", "searchEvents", bodies.searchEvents, answers.search, {
    scope: "events:read",
    shown: shownPage,
    more: ({ all_fields }) => ({ allFields: all_fields ?? false }),
  }),
  question(`${V1_ANALYTICS}/count-events`, "Counts events of a project", "countEvents", bodies.countEvents, answers.count),
  question(
    `${V1_ANALYTICS}/count-events-running-total-per-day`,
    "Counts events of a project, cumulative per UTC day",
    "countEventsRunningTotalPerDay",
    bodies.perDay,
    answers.perDay,
  ),
  question(`${V1_ANALYTICS}/count-unique-users`, "Counts unique users of a project", "countUniqueUsers", bodies.uniqueUsers, answers.count),
];
