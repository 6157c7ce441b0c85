import { QUERY_RIGHTS } from "../access/query-rights.js";
import { reportAnswers as answers, numberOf, reportQueries as queries, identityInput } from "../shapes/reports.js";
import { report } from "./run-query.js";
import type { Route } from "../routing/route.js";

/** Reports about companies, over all projects. */
export const companyRoutes: readonly Route[] = [
  report(
    QUERY_RIGHTS.companies,
    "/v1/companies/top",
    "Ranks companies",
    queries.topCompanies,
    answers.topCompanies,
    async ({ daybook }, { query, signal }) =>
      await daybook.topCompanies(
        { rangeDays: numberOf(query.range_days), sort: query.sort ?? null, limit: numberOf(query.limit) },
        { signal },
      ),
  ),
  report(
    QUERY_RIGHTS.companies,
    "/v1/companies/{company_id}/top-users",
    "Lists the most active identified users of a company",
    queries.companyTopUsers,
    answers.companyTopUsers,
    async ({ daybook }, { params, query, signal }) =>
      await daybook.companyTopUsers(
        { companyId: params["company_id"] ?? "", rangeDays: numberOf(query.range_days), limit: numberOf(query.limit) },
        { signal },
      ),
  ),
];

/** Reports about one person. */
export const identityRoutes: readonly Route[] = [
  report(
    QUERY_RIGHTS.identities,
    "/v1/identities/sessions",
    "Lists the sessions of a person, newest first",
    queries.sessions,
    answers.sessions,
    async ({ daybook }, { query, signal }) =>
      await daybook.identitySessions(
        { ...identityInput(query), limit: numberOf(query.limit), cursor: query.cursor ?? null },
        { signal },
      ),
  ),
  report(
    QUERY_RIGHTS.identities,
    "/v1/identities/profile",
    "Summarizes what a person did",
    queries.identity,
    answers.profile,
    async ({ daybook }, { query, signal }) => await daybook.identityProfile(identityInput(query), { signal }),
  ),
  report(
    QUERY_RIGHTS.identities,
    "/v1/identities/referrers",
    "Counts the referrers of a person's events",
    queries.referrers,
    answers.referrers,
    async ({ daybook }, { query, signal }) =>
      await daybook.identityReferrers({ ...identityInput(query), limit: numberOf(query.limit) }, { signal }),
  ),
  report(
    QUERY_RIGHTS.identities,
    "/v1/identities/device-geo",
    "Shows the devices and locations of a person",
    queries.identity,
    answers.deviceGeo,
    async ({ daybook }, { query, signal }) => await daybook.identityDeviceGeo(identityInput(query), { signal }),
  ),
];

const PATH = "/v1/projects/{project_id}/revenue";

/** Reports about the money of a project. */
export const revenueRoutes: readonly Route[] = [
  report(
    QUERY_RIGHTS.revenue,
    `${PATH}/by-attribution`,
    "Splits the revenue of a project by the attribution of its payers",
    queries.byAttribution,
    answers.byAttribution,
    async ({ daybook }, { params, query, signal }) =>
      await daybook.revenueByAttribution(
        {
          project: params["project_id"] ?? "",
          model: query.model ?? null,
          level: query.level ?? null,
          dimension: query.dimension ?? null,
          startDate: query.start_date ?? null,
          endDate: query.end_date ?? null,
          limit: numberOf(query.limit),
        },
        { signal },
      ),
  ),
  report(
    QUERY_RIGHTS.revenue,
    `${PATH}/ltv-cohorts`,
    "Shows what people or companies have paid, by the month in which they were first seen",
    queries.ltvCohorts,
    answers.ltvCohorts,
    async ({ daybook }, { params, query, signal }) =>
      await daybook.ltvCohorts(
        { project: params["project_id"] ?? "", level: query.level ?? null, limit: numberOf(query.limit) },
        { signal },
      ),
  ),
];
