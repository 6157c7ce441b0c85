import type { DataSet } from "./data-sets.js";

interface Example {
  readonly organization: string;
  readonly says: string;
  readonly path: string;
  readonly body: object;
}

const EXAMPLES: readonly Example[] = [
  { organization: "access-log", says: "page views per day", path: "/analytics/count-events-per-day", body: { event_name: "pageview" } },
  { organization: "access-log", says: "top browsers", path: "/analytics/aggregate", body: { field: "browser" } },
  {
    organization: "access-log",
    says: "addresses that got a 404",
    path: "/analytics/count-unique-users",
    body: { filter_groups: [{ filters: [{ field_name: "status", operator: "=", value: "404" }] }] },
  },
  {
    organization: "online-retail",
    says: "invoices above 10,000 pounds, newest first",
    path: "/search-events",
    body: { event_name: "purchase", filter_groups: [{ filters: [{ field_name: "revenue", operator: ">", value: "10000" }] }] },
  },
  {
    organization: "access-log",
    says: "visits and where they came from",
    path: "/v1/projects/default/insights/web",
    body: { filter_groups: [{ filters: [{ field_name: "browser", operator: "not_in", value: "Googlebot,bingbot" }] }], limit: 3 },
  },
  {
    organization: "cdnow",
    says: "who bought again, month by month",
    path: "/v1/projects/default/insights/retention",
    body: { interval: "month", periods: 6, end_date: "1997-03-31" },
  },
  {
    organization: "cdnow",
    says: "customers of January 1997",
    path: "/analytics/count-unique-users",
    body: { start_date: "1997-01-01", end_date: "1997-01-31" },
  },
];

/** Addresses of the page with what each data set is best looked at by, and its token, which the page takes out of the address at once. */
export function pagesText(url: string, sets: readonly DataSet[], tokenOf: (organization: string) => string): string {
  const links = sets.map(({ organization, look }) => `  ${organization.padEnd(14)} ${url}/?${look}#token=${tokenOf(organization)}\n`);
  return `\nOpen the dashboard. The links are valid until this process ends:\n\n${links.join("")}`;
}

/** Requests to paste into a shell: each organization's token once, as a variable, then one curl line per question. */
export function requestsText(url: string, sets: readonly DataSet[], tokenOf: (organization: string) => string): string {
  const examples = EXAMPLES.filter((example) => sets.some((set) => example.organization === set.organization));
  const used = sets.filter((set) => examples.some((example) => example.organization === set.organization));
  const variables = used.map((set) => `  ${variableOf(set.organization)}=${tokenOf(set.organization)}\n`);
  const requests = examples.map(
    ({ organization, says, path, body }) =>
      `\n  # ${organization}: ${says}\n  curl -s ${url}${path} -H "Authorization: Bearer $${variableOf(organization)}" \\\n` +
      `    -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'\n`,
  );
  return `\nQueries over HTTP to try:\n\n${variables.join("")}${requests.join("")}`;
}

function variableOf(organization: string): string {
  return `${organization.replaceAll("-", "_").toUpperCase()}_TOKEN`;
}
