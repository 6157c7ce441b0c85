import { MONEY } from "../access/query-rights.js";
import { reportAnswers as answers } from "../shapes/report-answers.js";
import { numberOf, reportQueries as queries } from "../shapes/report-query.js";
import { report } from "./report-route.js";
import type { Route } from "../routing/route.js";

const PATH = "/v1/projects/{project_id}/revenue";

/** Reports about the money of a project. */
export const revenueRoutes: readonly Route[] = [
  report(
    MONEY,
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
    MONEY,
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
