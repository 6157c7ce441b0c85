import { COMPANIES } from "../access/query-rights.js";
import { reportAnswers as answers } from "../shapes/report-answers.js";
import { numberOf, reportQueries as queries } from "../shapes/report-query.js";
import { report } from "./report-route.js";
import type { Route } from "../routing/route.js";

/** Reports about companies, over all projects. */
export const companyRoutes: readonly Route[] = [
  report(
    COMPANIES,
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
    COMPANIES,
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
