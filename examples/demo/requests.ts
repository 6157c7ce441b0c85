import type { DataSet } from "./data-sets.js";

interface Example {
  readonly organization: string;
  readonly description: string;
  readonly path: string;
  readonly body: object;
}

const EXAMPLES: readonly Example[] = [
  { organization: "access-log", description: "page views per day", path: "/analytics/count-events-per-day", body: { event_name: "pageview" } },
  { organization: "access-log", description: "top browsers", path: "/analytics/aggregate", body: { field: "browser" } },
  {
    organization: "access-log",
    description: "addresses that got a 404",
    path: "/analytics/count-unique-users",
    body: { filter_groups: [{ filters: [{ field_name: "status", operator: "=", value: "404" }] }] },
  },
  {
    organization: "online-retail",
    description: "invoices above 10,000 pounds, newest first",
    path: "/search-events",
    body: { event_name: "purchase", filter_groups: [{ filters: [{ field_name: "revenue", operator: ">", value: "10000" }] }] },
  },
  {
    organization: "access-log",
    description: "visits and where they came from",
    path: "/v1/projects/default/insights/web",
    body: { filter_groups: [{ filters: [{ field_name: "browser", operator: "not_in", value: "Googlebot,bingbot" }] }], limit: 3 },
  },
  {
    organization: "cdnow",
    description: "who bought again, month by month",
    path: "/v1/projects/default/insights/retention",
    body: { interval: "month", periods: 6, end_date: "1997-03-31" },
  },
  {
    organization: "cdnow",
    description: "customers of January 1997",
    path: "/analytics/count-unique-users",
    body: { start_date: "1997-01-01", end_date: "1997-01-31" },
  },
];

/** Links to the dashboard, with a view and the token of each data set. The page removes the token from its URL at once. */
export function pagesText(url: string, sets: readonly DataSet[], tokenOf: (organization: string) => string): string {
  const links = sets.map(({ organization, view }) => `  ${organization.padEnd(14)} ${url}/?${view}#token=${tokenOf(organization)}\n`);
  return `\nOpen the dashboard. The links are valid until this process ends:\n\n${links.join("")}`;
}

/** Requests to paste into a shell: the token of each organization as a variable, then one curl command per query. */
export function requestsText(url: string, sets: readonly DataSet[], tokenOf: (organization: string) => string): string {
  const examples = EXAMPLES.filter((example) => sets.some((set) => example.organization === set.organization));
  const used = sets.filter((set) => examples.some((example) => example.organization === set.organization));
  const variables = used.map((set) => `  ${variableOf(set.organization)}=${tokenOf(set.organization)}\n`);
  const requests = examples.map(
    ({ organization, description, path, body }) =>
      `\n  # ${organization}: ${description}\n  curl -s ${url}${path} -H "Authorization: Bearer $${variableOf(organization)}" \\\n` +
      `    -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'\n`,
  );
  return `\nQueries over HTTP to try:\n\n${variables.join("")}${requests.join("")}`;
}

function variableOf(organization: string): string {
  return `${organization.replaceAll("-", "_").toUpperCase()}_TOKEN`;
}
