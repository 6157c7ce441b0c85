import { z } from "zod";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import type { InsightPlans } from "../../query/plan/insights/plan.js";
import { guarded } from "../routing/route.js";
import type { GuardedRoute, Route } from "../routing/route.js";
import { insightAnswers } from "../shapes/insight-answers.js";
import { insightBodies } from "../shapes/insight-bodies.js";
import { libraryInput } from "../wire/library-input.js";
import { wireNames } from "../wire/wire-names.js";
import { runQuery } from "./run-query.js";

/** An insight route of a project; its body and its answer use names of the wire. */
function insight(name: keyof InsightPlans, place: string, summary: string): GuardedRoute {
  const schema: z.ZodObject = insightBodies[name];
  return guarded({
    method: "POST",
    path: `/v1/projects/{project_id}/insights/${place}`,
    summary,
    envelope: "problem",
    access: { scope: "analytics:read" },
    query: z.strictObject({}),
    body: { schema, maxByteLength: SERVER_LIMITS.questionBodyBytes, list: null },
    answer: insightAnswers[name],
    etag: true,
    handle: async (caller, exchange) => {
      const input = { ...(libraryInput(schema, exchange.body) as object), project: caller.project };
      return wireNames(await runQuery(name, input, caller, exchange));
    },
  });
}

/** Routes of insights. */
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
