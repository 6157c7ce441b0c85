import type { SendOptions } from "./kit.js";

const STEPS = ["signup", "pay"];

const BODIES: Readonly<Record<string, unknown>> = {
  "POST /analytics/aggregate": { field: "device" },
  "POST /v1/query/aggregate": { field: "device" },
  "POST /v1/query/companyTopUsers": { companyId: "acme" },
  "POST /v1/query/revenueByAttribution": { project: "shop" },
  "POST /v1/query/ltvCohorts": { project: "shop" },
  ...Object.fromEntries(["Sessions", "Profile", "Referrers", "DeviceGeo"].map((name) => [`POST /v1/query/identity${name}`, { userId: "u1" }])),
  "POST /v1/query/funnel": { steps: STEPS.map((eventName) => ({ eventName })) },
  "POST /v1/projects/{project_id}/insights/funnel": { steps: STEPS.map((name) => ({ event_name: name })) },
  "POST /v1/privacy-requests": { type: "access", subject: { user_id: "u1" } },
  "POST /v1/privacy-requests/{id}/resolve": { resolution: "denied" },
  "PUT /v1/segments/{name}": { groups: [{ conditions: [{ type: "did_not" }] }] },
  "POST /v1/scopes/sign": { scope: {}, expires_in: "1h" },
  "POST /v1/exports/deletions": { afterSequence: 0 },
  "POST /v1/events": { events: [] },
  "POST /v1/events/delete": { before: "2026-03-01" },
  "PUT /v1/time-to-live": { project: "shop", days: 7 },
  "POST /v1/records": { records: [] },
  "POST /v1/track": { event: "signup" },
  "POST /v1/batch": { batch: [] },
  "POST /v1/identify": { userId: "u1" },
  "POST /v1/group": { groupId: "acme", userId: "u1" },
  "POST /v1/alias": { previousId: "a1", userId: "u1" },
};

/** A request of a route that lacks nothing but rights. @param route as in `POST /v1/events` */
export function completeRequest(route: string): { readonly path: string; readonly options: SendOptions } {
  const [method = "", pattern = ""] = route.split(" ");
  const path = pattern.replace("{project_id}", "shop").replace("{company_id}", "acme").replace("{id}", "r1").replace("{name}", "buyers");
  const query = path.startsWith("/v1/identities/") ? "?user_id=u1" : "";
  return { path: `${path}${query}`, options: method === "GET" ? { method } : { method, body: BODIES[route] ?? {} } };
}
