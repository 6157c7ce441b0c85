import { z } from "zod";
import { objectBody, querying, type QueryRoute, type Route } from "../routing/route.js";
import { insightAnswers, insightBodies } from "../shapes/insights.js";
import { wireNames } from "../wire/wire-names.js";
import { explainQuery, libraryInput, runQuery } from "./run-query.js";
import { DaybookError } from "../../core/base/errors.js";
import { QUERIES, QUERY_NAMES, type ReportName } from "../../query/queries.js";
import { QUERY_RIGHTS } from "../access/rights.js";

/** An insight route of a project; its body and answer use wire names. */
function insight(name: keyof typeof insightBodies, segment: string, summary: string): QueryRoute {
  const schema: z.ZodObject = insightBodies[name];
  return querying(name, {
    method: "POST",
    path: `/v1/projects/{project_id}/insights/${segment}`,
    summary,
    access: { scope: "analytics:read" },
    body: objectBody(schema),
    answer: insightAnswers[name],
    etag: true,
    handle: async (caller, request) => {
      const input = { ...(libraryInput(schema, request.body) as object), project: caller.project };
      return wireNames(await runQuery(name, input, caller, request));
    },
  });
}

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

const notice = z
  .strictObject({ code: z.literal("unknown_field"), message: z.string(), param: z.string(), name: z.string(), report: z.string() })
  .meta({ description: "Something in the query that is not an error, but probably a mistake." });

/** A route that runs a query with the names of the library, under the same rights as its own route. plan/ checks the input. */
function queryRoute(name: ReportName): QueryRoute {
  return querying(name, {
    method: "POST",
    path: `/v1/query/${name}`,
    summary: `Runs ${name} of the library: takes its input as the body, and returns its answer unchanged`,
    access: QUERY_RIGHTS[QUERIES[name].shows],
    query: z.strictObject({ explain: z.literal("true").optional() }),
    body: objectBody(z.looseObject({})),
    answer: z.strictObject({ answer: z.unknown(), notices: z.array(notice).optional() }),
    etag: true,
    keepsNames: true,
    handle: async (caller, request) => {
      const { project, isScoped } = caller;
      const { body, query, notices } = request;
      if (query.explain === "true" && isScoped) throw new DaybookError("forbidden_by_scope", "explain: expected a secret token, got a signed one");
      // An explanation shows counts of the whole organization.
      if (query.explain === "true" && project !== null)
        throw new DaybookError("organization_token_required", "explain: expected an organization token, got a project token");
      const input = inProject(body, project);
      const answer = query.explain === "true" ? await explainQuery(name, input, caller) : await runQuery(name, input, caller, request);
      return notices.length === 0 ? { answer } : { answer, notices };
    },
  });
}

/** @param project the only one that the caller may read; null: all @throws project_not_found (the same for unknown and for others) */
export function inProject(input: Readonly<Record<string, unknown>>, project: string | null): Readonly<Record<string, unknown>> {
  if (project === null) return input;
  if ((input["project"] ?? project) !== project) throw new DaybookError("project_not_found", "project: no such project", { param: "project" });
  return { ...input, project };
}

/** One route for each query of the library, for `daybook/client`. */
export const queryRoutes: readonly Route[] = QUERY_NAMES.map(queryRoute);
