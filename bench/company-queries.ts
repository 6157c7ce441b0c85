import type { CompanyTopUsers, TopCompanies } from "daybook";
import { runAt } from "./clock.js";
import { type Dialect, shared } from "./dialect.js";
import { paid } from "./money-queries.js";
import type { Cell, BenchQuery, Window } from "./bench-query.js";

const companyId = "company-1.example";
const dayMs = 86_400_000;
const minutesLater = 690;

/** Half past eleven of the day after the window: the 30 days before it begin and end within a day, as they do for users. */
const nowMsOf = ({ endDate }: Window) => Date.parse(endDate) + dayMs + minutesLater * 60_000;

const later = (instant: string) => `${instant} + INTERVAL ${minutesLater} MINUTE`;
const inDays = ({ from, to }: Dialect) => `created_at >= ${later(from)} AND created_at <= ${later(to)}`;

const topCompaniesSql = shared(
  (dialect) => `
  WITH ${paid(dialect, "value IS NOT NULL")},
  money AS (SELECT company_id AS paying_id, sum(value) AS revenue FROM paid WHERE ${inDays(dialect)} AND company_id IS NOT NULL GROUP BY 1),
  companies AS (
    SELECT company_id, CAST(count(*) AS INTEGER) AS n, CAST(count(DISTINCT user_id) AS INTEGER) AS users, max(created_at) AS last_seen
    FROM ${dialect.events} WHERE ${inDays(dialect)} AND company_id IS NOT NULL GROUP BY 1)
  SELECT ${dialect.text("company_id")}, n, users, ${dialect.ms("last_seen")}, CAST(coalesce(revenue, 0) AS DOUBLE)
  FROM companies LEFT JOIN money ON company_id = paying_id
  ORDER BY users DESC, n DESC, last_seen DESC, company_id LIMIT 50`,
);

const companyTopUsersSql = shared(
  (dialect) => `
  WITH users AS (
    SELECT user_id, CAST(count(*) AS INTEGER) AS n, max(created_at) AS last_at
    FROM ${dialect.events} WHERE ${inDays(dialect)} AND company_id = '${companyId}' GROUP BY 1)
  SELECT ${dialect.text("user_id")}, n, ${dialect.ms("last_at")} FROM users ORDER BY n DESC, last_at DESC, user_id LIMIT 20`,
);

function companyCells(answer: unknown): Cell[][] {
  const { companies } = answer as TopCompanies;
  return companies.map((company) => [company.companyId, company.events, company.users, Date.parse(company.lastSeen), company.revenue]);
}

function userCells(answer: unknown): Cell[][] {
  return (answer as CompanyTopUsers).users.map(({ resolvedIdentifier, events, lastSeen }) => [resolvedIdentifier, events, Date.parse(lastSeen)]);
}

/** Who comes from where in the 30 days before now. */
export const companyQueries: readonly BenchQuery[] = [
  {
    name: "top companies, 30 days",
    run: (daybook, window) => runAt(nowMsOf(window), () => daybook.topCompanies()),
    canonical: companyCells,
    sql: topCompaniesSql,
  },
  {
    name: "top users of a company, 30 days",
    run: (daybook, window) => runAt(nowMsOf(window), () => daybook.companyTopUsers({ companyId })),
    canonical: userCells,
    sql: companyTopUsersSql,
  },
];
