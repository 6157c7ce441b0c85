import type { z } from "zod";
import type { ReportName } from "../../query/queries.js";
import { QUERY_RIGHTS, type RequiredAccess } from "../access/rights.js";
import { querying, type Route } from "../routing/route.js";
import { reportAnswers as answers, reportQueries as queries } from "../shapes/reports.js";
import { camelCase, wireNames } from "../wire/wire-names.js";

function report(access: RequiredAccess, path: string, summary: string, name: ReportName, query: z.ZodObject, answer: z.ZodType): Route {
  return querying(name, {
    path,
    summary,
    access,
    query,
    answer,
    etag: true,
    handle: async ({ daybook }, { params, query: sent, signal }) => {
      const input = Object.fromEntries([...Object.entries(params).map(pathMember), ...Object.entries(query.shape).map(queryMember(sent))]);
      return wireNames(await daybook[name](input as never, { signal }));
    },
  });
}

function pathMember([name, value]: [string, string]): [string, string] {
  return [name === "project_id" ? "project" : camelCase(name), value];
}

/** A member of the input, null if it was not sent. Its schema says which parameter is a number. */
function queryMember(sent: Readonly<Record<string, unknown>>) {
  return ([name, schema]: [string, z.ZodType]): [string, unknown] => {
    const value = sent[name] ?? null;
    return [camelCase(name), value !== null && schema.meta()?.["type"] === "integer" ? Number(value) : value];
  };
}

const { companies: COMPANIES, identities: IDENTITIES, revenue: REVENUE } = QUERY_RIGHTS;

export const companyRoutes: readonly Route[] = [
  report(COMPANIES, "/v1/companies/top", "Ranks companies", "topCompanies", queries.topCompanies, answers.topCompanies),
  report(
    COMPANIES,
    "/v1/companies/{company_id}/top-users",
    "Lists the most active identified users of a company",
    "companyTopUsers",
    queries.companyTopUsers,
    answers.companyTopUsers,
  ),
];

export const identityRoutes: readonly Route[] = [
  report(
    IDENTITIES,
    "/v1/identities/sessions",
    "Lists the sessions of a person, newest first",
    "identitySessions",
    queries.sessions,
    answers.sessions,
  ),
  report(IDENTITIES, "/v1/identities/profile", "Summarizes what a person did", "identityProfile", queries.identity, answers.profile),
  report(
    IDENTITIES,
    "/v1/identities/referrers",
    "Counts the referrers of a person's events",
    "identityReferrers",
    queries.referrers,
    answers.referrers,
  ),
  report(
    IDENTITIES,
    "/v1/identities/device-geo",
    "Shows the devices and locations of a person",
    "identityDeviceGeo",
    queries.identity,
    answers.deviceGeo,
  ),
];

const PATH = "/v1/projects/{project_id}/revenue";

export const revenueRoutes: readonly Route[] = [
  report(
    REVENUE,
    `${PATH}/by-attribution`,
    "Splits the revenue of a project by the attribution of its payers",
    "revenueByAttribution",
    queries.byAttribution,
    answers.byAttribution,
  ),
  report(
    REVENUE,
    `${PATH}/ltv-cohorts`,
    "Shows what people or companies have paid, by the month in which they were first seen",
    "ltvCohorts",
    queries.ltvCohorts,
    answers.ltvCohorts,
  ),
];
