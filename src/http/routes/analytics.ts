import type { z } from "zod";
import type { SearchEventsPage } from "../../query/plan/answers.js";
import type { ReportName } from "../../query/queries.js";
import type { Envelope } from "../answer/error-reply.js";
import type { TokenScope } from "../access/token.js";
import { objectBody, querying, type QueryRoute, type Route } from "../routing/route.js";
import { answers, wireEvent } from "../shapes/answers.js";
import { queryBodies as bodies } from "../shapes/reports.js";
import { libraryInput, runQuery } from "./run-query.js";

const V1_ANALYTICS = "/v1/projects/{project_id}/analytics";

function analyticsRoute<Body extends z.ZodObject>(
  path: string,
  summary: string,
  name: ReportName,
  body: Body,
  answer: z.ZodType,
  { scope = "analytics:read", toAnswer = ok, extraInput = () => ({}) }: AnalyticsRouteOptions<Body> = {},
): QueryRoute {
  const envelope: Envelope = path.startsWith("/v1/") ? "problem" : "legacy";
  return querying(name, {
    method: "POST",
    path,
    summary,
    envelope,
    access: { scope },
    body: objectBody(body),
    answer,
    etag: true,
    handle: async (caller, request) => {
      const input = { ...(libraryInput(body, request.body) as object), ...extraInput(request.body), project: caller.project };
      return toAnswer(await runQuery(name, input, caller, request));
    },
  });
}

interface AnalyticsRouteOptions<Body extends z.ZodObject> {
  readonly scope?: TokenScope;
  /** Converts the library's answer to that of this endpoint. */
  readonly toAnswer?: (answer: unknown) => unknown;
  /** Input members that the body names differently. */
  readonly extraInput?: (body: z.infer<Body>) => object;
}

function ok(data: unknown): unknown {
  return { status: "OK", data };
}

function toPage(answer: unknown): unknown {
  const { cursor, events } = answer as SearchEventsPage;
  return { cursor, events: events.map(wireEvent) };
}

export const analyticsRoutes: readonly Route[] = [
  analyticsRoute("/analytics/count-events", "Counts events", "countEvents", bodies.countEvents, answers.count),
  analyticsRoute("/analytics/count-events-per-day", "Counts events per UTC day", "countEventsPerDay", bodies.perDay, answers.perDay),
  analyticsRoute("/analytics/count-unique-users", "Counts unique users", "countUniqueUsers", bodies.uniqueUsers, answers.count),
  analyticsRoute(
    "/analytics/count-unique-users-per-day",
    "Counts unique users per UTC day",
    "countUniqueUsersPerDay",
    bodies.uniqueUsersPerDay,
    answers.perDay,
  ),
  analyticsRoute("/analytics/aggregate", "Counts events, or people, by the values of a field", "aggregate", bodies.aggregate, answers.aggregate),
  analyticsRoute("/search-events", "Lists events, newest first", "searchEvents", bodies.searchEvents, answers.search, {
    scope: "events:read",
    toAnswer: toPage,
    extraInput: ({ all_fields }) => ({ allFields: all_fields ?? false }),
  }),
  analyticsRoute(`${V1_ANALYTICS}/count-events`, "Counts events of a project", "countEvents", bodies.countEvents, answers.count),
  analyticsRoute(
    `${V1_ANALYTICS}/count-events-running-total-per-day`,
    "Counts events of a project, cumulative per UTC day",
    "countEventsRunningTotalPerDay",
    bodies.perDay,
    answers.perDay,
  ),
  analyticsRoute(`${V1_ANALYTICS}/count-unique-users`, "Counts unique users of a project", "countUniqueUsers", bodies.uniqueUsers, answers.count),
];
