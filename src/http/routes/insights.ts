import { z } from "zod";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import type { InsightPlans } from "../../query/plan/insights/plan.js";
import { guarded, type GuardedRoute, type Route } from "../routing/route.js";
import { insightAnswers } from "../shapes/insight-answers.js";
import { insightBodies } from "../shapes/insight-bodies.js";
import { libraryInput } from "../wire/library-input.js";
import { wireNames } from "../wire/wire-names.js";
import { runQuery, explainQuery } from "./run-query.js";
import { DaybookError } from "../../core/base/errors.js";
import type { ReportName } from "../../query/plan/plan.js";
import type { RequiredAccess } from "../access/access.js";
import { COMPANIES, MONEY, PEOPLE } from "../access/query-rights.js";

/** An insight route of a project; its body and answer use wire names. */
function insight(name: keyof InsightPlans, segment: string, summary: string): GuardedRoute {
  const schema: z.ZodObject = insightBodies[name];
  return guarded({
    method: "POST",
    path: `/v1/projects/{project_id}/insights/${segment}`,
    summary,
    envelope: "problem",
    access: { scope: "analytics:read" },
    query: z.strictObject({}),
    body: { schema, maxByteLength: SERVER_LIMITS.queryBodyBytes, list: null },
    answer: insightAnswers[name],
    etag: true,
    handle: async (caller, request) => {
      const input = { ...(libraryInput(schema, request.body) as object), project: caller.project };
      return wireNames(await runQuery(name, input, caller, request));
    },
  });
}

/** One route for each insight. */
export const insightRoutes: readonly Route[] = [
  insight("trend", "trend", "A measure over time, by the values of up to two fields"),
  insight("funnel", "funnel", "How many people went through a series of steps, and how long they took"),
  insight("retention", "retention", "Cohorts of people, and how many of each came back later"),
  insight("lifecycle", "lifecycle", "How many people were new, returned, came back after a pause, or stayed away"),
  insight("stickiness", "stickiness", "On how many days, hours, weeks or months people were active"),
  insight("paths", "paths", "The paths through sessions, step by step"),
  insight("sessionsOverview", "sessions", "Number, duration and length of sessions, with their entry and exit pages"),
  insight("webOverview", "web", "The figures and lists of a website: visitors, views, visits, sources, pages, countries, devices"),
];

const EVENTS: RequiredAccess = { scope: "events:read" };
const ANALYTICS: RequiredAccess = { scope: "analytics:read" };

/** Rights that each query requires, the same as on its own route. */
const ACCESS: Readonly<Record<ReportName, RequiredAccess>> = {
  countEvents: ANALYTICS,
  countEventsPerDay: ANALYTICS,
  countEventsRunningTotalPerDay: ANALYTICS,
  countUniqueUsers: ANALYTICS,
  countUniqueUsersPerDay: ANALYTICS,
  aggregate: ANALYTICS,
  searchEvents: EVENTS,
  identitySessions: PEOPLE,
  identityProfile: PEOPLE,
  identityReferrers: PEOPLE,
  identityDeviceGeo: PEOPLE,
  revenueByAttribution: MONEY,
  ltvCohorts: MONEY,
  topCompanies: COMPANIES,
  companyTopUsers: COMPANIES,
  trend: ANALYTICS,
  funnel: ANALYTICS,
  retention: ANALYTICS,
  lifecycle: ANALYTICS,
  stickiness: ANALYTICS,
  paths: ANALYTICS,
  sessionsOverview: ANALYTICS,
  webOverview: ANALYTICS,
};

const notice = z
  .strictObject({ code: z.literal("unknown_field"), message: z.string(), param: z.string(), name: z.string(), report: z.string() })
  .meta({ description: "Something in the query that is not an error, but probably a mistake." });

/** A route that runs a query with the names of the library: its input as the body, its answer as JSON. plan/ checks the input. */
function queryRoute(name: ReportName, access: RequiredAccess): GuardedRoute {
  return guarded({
    method: "POST",
    path: `/v1/query/${name}`,
    summary: `Runs ${name} of the library: takes its input as the body, and returns its answer unchanged`,
    envelope: "problem",
    access,
    query: z.strictObject({ explain: z.literal("true").optional() }),
    body: { schema: z.looseObject({}), maxByteLength: SERVER_LIMITS.queryBodyBytes, list: null },
    answer: z.strictObject({ answer: z.unknown(), notices: z.array(notice).optional() }),
    etag: true,
    keepsNames: true,
    handle: async (caller, request) => {
      const { project } = caller;
      const { body, query, notices } = request;
      // An explanation shows counts of the whole organization.
      if (query.explain === "true" && project !== null)
        throw new DaybookError("organization_token_required", "explain: expected an organization token, got a project token");
      const input = inProject(body, project);
      const answer = query.explain === "true" ? await explainQuery(name, input, caller) : await runQuery(name, input, caller, request);
      return notices.length === 0 ? { answer } : { answer, notices };
    },
  });
}

/**
 * Limits an input to the only project that the caller may read; null: the whole organization.
 * @throws project_not_found (the same message for unknown projects and for those of others)
 */
export function inProject(input: Readonly<Record<string, unknown>>, project: string | null): Readonly<Record<string, unknown>> {
  if (project === null) return input;
  if ((input["project"] ?? project) !== project) throw new DaybookError("project_not_found", "project: no such project", { param: "project" });
  return { ...input, project };
}

/** One route for each query of the library, for `daybook/client`. */
export const queryRoutes: readonly Route[] = Object.entries(ACCESS).map(([name, access]) => queryRoute(name as ReportName, access));
