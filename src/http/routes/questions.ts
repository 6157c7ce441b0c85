import { z } from "zod";
import { DaybookError } from "../../base/errors.js";
import type { Daybook, QueryOptions } from "../../engine/daybook.js";
import type { ReportName } from "../../plan/plan.js";
import { authorizeField } from "../access/access.js";
import type { Access } from "../access/access.js";
import { guarded, JSON_BYTE_LENGTH } from "../routing/route.js";
import type { GuardedRoute, Route } from "../routing/route.js";

const EVENTS: Access = { scope: "events:read" };
const ANALYTICS: Access = { scope: "analytics:read" };
const IDENTITIES: Access = { scope: "identities:read", role: "admin", organizationWide: true };
const REVENUE: Access = { scope: "revenue:read", role: "admin", organizationWide: true };
const COMPANIES: Access = { scope: "companies:read", role: "admin", organizationWide: true };

/** What each question asks of a token: the same as on the route that is documented for it. */
const ACCESS: Readonly<Record<ReportName, Access>> = {
  countEvents: ANALYTICS,
  countEventsPerDay: ANALYTICS,
  countEventsRunningTotalPerDay: ANALYTICS,
  countUniqueUsers: ANALYTICS,
  countUniqueUsersPerDay: ANALYTICS,
  aggregate: ANALYTICS,
  searchEvents: EVENTS,
  identitySessions: IDENTITIES,
  identityProfile: IDENTITIES,
  identityReferrers: IDENTITIES,
  identityDeviceGeo: IDENTITIES,
  revenueByAttribution: REVENUE,
  ltvCohorts: REVENUE,
  topCompanies: COMPANIES,
  companyTopUsers: COMPANIES,
};

const notice = z
  .strictObject({ code: z.literal("unknown_field"), message: z.string(), param: z.string(), name: z.string(), report: z.string() })
  .meta({ description: "Something about the question that is no error, and still hardly meant so." });

/** A question in the words of the library: its input as body, its answer as JSON. What an input may hold is settled in plan/. */
function question(name: ReportName, access: Access): GuardedRoute {
  return guarded({
    method: "POST",
    path: `/v1/questions/${name}`,
    summary: `Answers ${name} of the library: its input as body, its answer as it is`,
    envelope: "problem",
    access,
    query: z.strictObject({ explain: z.literal("true").optional() }),
    body: { schema: z.looseObject({}), maxByteLength: JSON_BYTE_LENGTH, list: null },
    answer: z.strictObject({ answer: z.unknown(), notices: z.array(notice).optional() }),
    etag: true,
    keepsNames: true,
    handle: async ({ token, daybook, project }, { body, query, signal, onNotice, notices }) => {
      if (name === "aggregate") authorizeField(body["field"], token);
      // What an explanation counts are segments and values of the whole organization.
      if (query.explain === "true" && project !== null)
        throw new DaybookError("organization_token_required", "explain: expected a token of the organization, got one of a project");
      const input = inProject(body, project);
      const answer = query.explain === "true" ? await daybook.explain(name, input) : await ask(daybook, name, input, { signal, onNotice });
      return notices.length === 0 ? { answer } : { answer, notices };
    },
  });
}

async function ask(daybook: Daybook, name: ReportName, input: object, options: QueryOptions): Promise<unknown> {
  // Each input is any JSON: the method refuses what is none of its own.
  return await daybook[name](input as never, options);
}

/**
 * The input as a caller may put it who sees this project alone; null: the whole organization.
 * @throws project_not_found (the same words whether it is unknown or another's)
 */
export function inProject(input: Readonly<Record<string, unknown>>, project: string | null): Readonly<Record<string, unknown>> {
  if (project === null) return input;
  if ((input["project"] ?? project) !== project) throw new DaybookError("project_not_found", "project: no such project", { param: "project" });
  return { ...input, project };
}

/** Every question of the library, as `daybook/client` puts it. */
export const questionRoutes: readonly Route[] = Object.entries(ACCESS).map(([name, access]) => question(name as ReportName, access));
