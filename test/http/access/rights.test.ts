import { describe, expect, it } from "vitest";
import { memoryTokens, ROLES, SCOPES } from "../../../src/http/index.js";
import type { Role, TokenScope } from "../../../src/http/index.js";
import type { ReportName } from "../../../src/query/queries.js";
import { routes } from "../../../src/http/routes/table.js";
import { completeRequest } from "../complete-request.js";
import { codeOf, handlerOf, send, stubDaybook } from "../kit.js";

/** `scope` null: any token will do; `*`: one with all scopes. */
type Rights = readonly [scope: TokenScope | "*" | null, least: "any" | "admin", reach: "project" | "organization"];

/** What each route asks of a token, written down a second time: the table of routes must agree. */
const RIGHTS: Record<string, Rights> = {
  "POST /analytics/count-events": ["analytics:read", "any", "project"],
  "POST /analytics/count-events-per-day": ["analytics:read", "any", "project"],
  "POST /analytics/count-unique-users": ["analytics:read", "any", "project"],
  "POST /analytics/count-unique-users-per-day": ["analytics:read", "any", "project"],
  "POST /analytics/aggregate": ["analytics:read", "any", "project"],
  "POST /search-events": ["events:read", "any", "project"],
  "POST /v1/projects/{project_id}/analytics/count-events": ["analytics:read", "any", "project"],
  "POST /v1/projects/{project_id}/analytics/count-events-running-total-per-day": ["analytics:read", "any", "project"],
  "POST /v1/projects/{project_id}/analytics/count-unique-users": ["analytics:read", "any", "project"],
  "GET /v1/identities/sessions": ["identities:read", "admin", "organization"],
  "GET /v1/identities/profile": ["identities:read", "admin", "organization"],
  "GET /v1/identities/referrers": ["identities:read", "admin", "organization"],
  "GET /v1/identities/device-geo": ["identities:read", "admin", "organization"],
  "GET /v1/projects/{project_id}/revenue/by-attribution": ["revenue:read", "admin", "organization"],
  "GET /v1/projects/{project_id}/revenue/ltv-cohorts": ["revenue:read", "admin", "organization"],
  "GET /v1/companies/top": ["companies:read", "admin", "organization"],
  "GET /v1/companies/{company_id}/top-users": ["companies:read", "admin", "organization"],
  "GET /v1/privacy-requests": ["privacy_requests:read", "any", "organization"],
  "POST /v1/privacy-requests": ["privacy_requests:write", "any", "organization"],
  "POST /v1/privacy-requests/{id}/verify": ["privacy_requests:write", "any", "organization"],
  "POST /v1/privacy-requests/{id}/acknowledge": ["privacy_requests:write", "any", "organization"],
  "POST /v1/privacy-requests/{id}/extend": ["privacy_requests:write", "any", "organization"],
  "POST /v1/privacy-requests/{id}/resolve": ["privacy_requests:write", "any", "organization"],
  "GET /v1/privacy-requests/{id}/bundle": ["privacy_requests:read", "admin", "organization"],
  "GET /v1/privacy-requests/{id}": ["privacy_requests:read", "any", "organization"],
  "POST /v1/records/{id}/unlink": ["identities:write", "any", "organization"],
  "GET /v1/segments": ["analytics:read", "any", "organization"],
  "PUT /v1/segments/{name}": ["segments:write", "any", "organization"],
  "DELETE /v1/segments/{name}": ["segments:write", "any", "organization"],
  "POST /v1/scopes/sign": ["*", "admin", "organization"],
  "DELETE /v1/projects/{project_id}": ["events:delete", "admin", "organization"],
  "POST /v1/events/delete": ["events:delete", "admin", "organization"],
  "GET /v1/time-to-live": ["events:delete", "admin", "organization"],
  "PUT /v1/time-to-live": ["events:delete", "admin", "organization"],
  "POST /v1/time-to-live/preview": ["events:delete", "admin", "organization"],
  "POST /v1/time-to-live/off": ["events:delete", "admin", "organization"],
  "POST /v1/time-to-live/sweep": ["events:delete", "admin", "organization"],
  "GET /v1/projects": ["analytics:read", "any", "project"],
  "GET /v1/projects/{project_id}/changes": ["analytics:read", "any", "project"],
  "GET /v1/token": [null, "any", "project"],
  "GET /v1/stats": ["metrics:read", "any", "organization"],
  "POST /v1/exports/events": ["events:read", "any", "project"],
  "POST /v1/exports/deletions": ["events:read", "any", "organization"],
  "POST /v1/exports/records": ["identities:read", "admin", "organization"],
  "GET /metrics": ["metrics:read", "any", "organization"],
  "POST /v1/events": ["events:write", "any", "project"],
  "POST /v1/records": ["identities:write", "any", "project"],
  "POST /v1/track": ["events:write", "any", "project"],
  "POST /v1/page": ["events:write", "any", "project"],
  "POST /v1/screen": ["events:write", "any", "project"],
  "POST /v1/batch": ["events:write", "any", "project"],
  "POST /v1/identify": ["identities:write", "any", "project"],
  "POST /v1/group": ["identities:write", "any", "project"],
  "POST /v1/alias": ["identities:write", "any", "organization"],
};

for (const name of ["trend", "funnel", "retention", "lifecycle", "stickiness", "paths", "sessions", "web"])
  RIGHTS[`POST /v1/projects/{project_id}/insights/${name}`] = ["analytics:read", "any", "project"];

/** The documented route of each query: whoever may ask it there may ask it in the words of the library. */
const DOCUMENTED: Readonly<Record<ReportName, string>> = {
  countEvents: "POST /analytics/count-events",
  countEventsPerDay: "POST /analytics/count-events-per-day",
  countEventsRunningTotalPerDay: "POST /v1/projects/{project_id}/analytics/count-events-running-total-per-day",
  countUniqueUsers: "POST /analytics/count-unique-users",
  countUniqueUsersPerDay: "POST /analytics/count-unique-users-per-day",
  aggregate: "POST /analytics/aggregate",
  searchEvents: "POST /search-events",
  identitySessions: "GET /v1/identities/sessions",
  identityProfile: "GET /v1/identities/profile",
  identityReferrers: "GET /v1/identities/referrers",
  identityDeviceGeo: "GET /v1/identities/device-geo",
  revenueByAttribution: "GET /v1/projects/{project_id}/revenue/by-attribution",
  ltvCohorts: "GET /v1/projects/{project_id}/revenue/ltv-cohorts",
  topCompanies: "GET /v1/companies/top",
  companyTopUsers: "GET /v1/companies/{company_id}/top-users",
  trend: "POST /v1/projects/{project_id}/insights/trend",
  funnel: "POST /v1/projects/{project_id}/insights/funnel",
  retention: "POST /v1/projects/{project_id}/insights/retention",
  lifecycle: "POST /v1/projects/{project_id}/insights/lifecycle",
  stickiness: "POST /v1/projects/{project_id}/insights/stickiness",
  paths: "POST /v1/projects/{project_id}/insights/paths",
  sessionsOverview: "POST /v1/projects/{project_id}/insights/sessions",
  webOverview: "POST /v1/projects/{project_id}/insights/web",
};
for (const [name, route] of Object.entries(DOCUMENTED)) RIGHTS[`POST /v1/query/${name}`] = RIGHTS[route] as Rights;

/** A token of every role, scope and reach: its value is what it is. */
const tokens = memoryTokens(
  ROLES.flatMap((role) =>
    [...SCOPES, "*" as const].flatMap((scope) =>
      [null, "shop"].map((project) => ({ token: valueOf(role, scope, project), role, scopes: [scope], project })),
    ),
  ),
);

function valueOf(role: Role, scope: TokenScope | "*", project: string | null): string {
  return `sk_0123456789.${role}.${scope === "*" ? "all" : scope.replace(":", ".")}.${project ?? "organization"}`;
}

const handler = handlerOf(stubDaybook(), { tokens });

async function answerTo(route: string, token: string | null) {
  const { path, options } = completeRequest(route);
  const sent = await send(handler, path, { ...options, token });
  return sent.status < 300 ? "ok" : codeOf(sent);
}

function expectedOf([scope, least, reach]: Rights, role: Role, held: TokenScope | "*", project: string | null): string {
  if (scope !== null && held !== "*" && held !== scope) return "insufficient_scope";
  if (least === "admin" && role !== "owner" && role !== "admin") return "insufficient_role";
  return reach === "organization" && project !== null ? "organization_token_required" : "ok";
}

describe("rights", () => {
  it("are written down for every route that is not open to everyone", () => {
    const guarded = routes.filter(({ access }) => access !== null).map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(RIGHTS).sort()).toEqual(guarded.sort());
  });

  it.each(Object.entries(RIGHTS))("of %s hold for every role, scope and reach of a token", async (route, rights) => {
    const [actual, expected]: [string[], string[]] = [[], []];
    for (const role of ROLES) {
      for (const held of [...SCOPES, "*" as const]) {
        for (const project of [null, "shop"]) {
          const value = valueOf(role, held, project);
          actual.push(`${value} ${String(await answerTo(route, value))}`);
          expected.push(`${value} ${expectedOf(rights, role, held, project)}`);
        }
      }
    }
    expect(actual).toEqual(expected);
    expect(await answerTo(route, null)).toBe("missing_token");
  });
});
