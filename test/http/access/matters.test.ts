import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixedClock, memoryStorage, openDaybook, type Daybook, type Segment } from "daybook";
import { memoryTokens } from "../../../src/http/index.js";
import type { Handler, TokenScope, TokenEntry } from "../../../src/http/index.js";
import { wireInput } from "../wire-names.js";
import { codeOf, handlerOf, NOW_MS, send } from "../kit.js";

type Report = "trend" | "funnel" | "retention" | "lifecycle" | "stickiness" | "paths" | "sessionsOverview" | "webOverview" | "countEvents" | "aggregate";
type Matter = "revenue" | "identities" | "companies";

const ROUTES: Readonly<Record<Report, string>> = {
  ...Object.fromEntries(["trend", "funnel", "retention", "lifecycle", "stickiness", "paths"].map((name) => [name, `/v1/projects/shop/insights/${name}`])),
  sessionsOverview: "/v1/projects/shop/insights/sessions",
  webOverview: "/v1/projects/shop/insights/web",
  countEvents: "/analytics/count-events",
  aggregate: "/analytics/aggregate",
} as Record<Report, string>;

const breakdown = (...fields: string[]) => ({ breakdown: { fields } });
const where = (fieldName: string) => ({ filterGroups: [{ filters: [{ fieldName, operator: "is_set" }] }] });
const inSegment = (value: string, operator = "in_segment") => ({ filterGroups: [{ filters: [{ fieldName: "identity_id", operator, value }] }] });
const segment = (...conditions: object[]) => ({ groups: [{ conditions }] }) as Segment;
const did = { type: "did", eventName: "a" };
const trait = { type: "trait", field: "plan", operator: "is_set" };
const company = { type: "company", operator: "is_set" };
const people = (...conditions: object[]) => ({ ...inSegment("some"), segments: { some: segment(...conditions) } });
const steps = (second: object) => ({ steps: [{ eventName: "a" }, second] });

/** What queries hold, and what it is about. */
const TABLE: readonly (readonly [report: Report, input: object, ...matters: Matter[]])[] = [
  ["trend", { measure: { type: "events" }, ...breakdown("device", "companyId") }],
  ["trend", { measure: { type: "sum", field: "value" } }],
  ["trend", where("company_id")],
  ["trend", people(did, { type: "first_seen", lastDays: 5 }, { type: "did_not", eventName: "b" })],
  ["trend", { segments: { unused: segment(trait, company) } }],
  ["trend", breakdown("metadata.person.plan")],
  ["webOverview", {}],
  ["sessionsOverview", breakdown("touch_source")],
  ["trend", { measure: { type: "revenue" } }, "revenue"],
  ["trend", { measure: { type: "revenue" }, ...breakdown("first_touch.source") }, "revenue", "identities"],
  ["trend", { measure: { type: "revenue" }, ...breakdown("company.plan") }, "revenue", "companies"],
  ["trend", { measure: { type: "unique_values", field: "person.plan" } }, "identities"],
  ["trend", breakdown("device", "person.email"), "identities"],
  ["trend", breakdown("company.size"), "companies"],
  ["trend", where("person.plan"), "identities"],
  ["trend", people(did, trait), "identities"],
  ["trend", people(did, company), "companies"],
  ["trend", people({ ...company, field: "size" }), "companies"],
  ["trend", people({ ...did, ...where("person.plan") }), "identities"],
  ["trend", people({ type: "did_not", ...where("last_touch.medium") }), "identities"],
  ["trend", { ...people(trait), ...inSegment("some", "not_in_segment") }, "identities"],
  ["trend", inSegment("saved"), "identities"],
  ["trend", inSegment("harmless")],
  ["funnel", steps({ eventName: "b" })],
  ["funnel", steps({ eventName: "b", ...where("person.plan") }), "identities"],
  ["funnel", { ...steps({ eventName: "b" }), exclusions: [where("company.plan")] }, "companies"],
  ["funnel", { ...steps({ eventName: "b" }), ...breakdown("last_touch.source") }, "identities"],
  ["funnel", { ...steps(inSegment("saved")) }, "identities"],
  ["funnel", { ...steps({ eventName: "b" }), level: "account" }],
  ["retention", { cohortEvent: { eventName: "a" } }],
  ["retention", { cohortEvent: where("person.plan") }, "identities"],
  ["retention", { returnEvent: where("company.plan") }, "companies"],
  ["retention", breakdown("person.plan", "company.plan"), "identities", "companies"],
  ["lifecycle", where("first_touch.source"), "identities"],
  ["stickiness", where("company.size"), "companies"],
  ["paths", { node: "person.plan" }, "identities"],
  ["paths", { node: "company.plan" }, "companies"],
  ["sessionsOverview", breakdown("last_touch.campaign"), "identities"],
  ["webOverview", people(company, trait), "identities", "companies"],
  ["countEvents", where("person.plan"), "identities"],
  ["countEvents", inSegment("saved"), "identities"],
  ["aggregate", { field: "device", ...people(company) }, "companies"],
  ["aggregate", { field: "person.plan" }, "identities"],
  ["aggregate", { field: "last_touch.source" }, "identities"],
  ["aggregate", { field: "company.size" }, "companies"],
  ["aggregate", { field: "metadata.person.plan" }],
];

const SCOPE: Readonly<Record<Matter, TokenScope>> = { revenue: "revenue:read", identities: "identities:read", companies: "companies:read" };
const MATTERS = Object.keys(SCOPE) as Matter[];

/** Who has any of the scopes and all the rest; and who has all of them, but not the role or the reach. */
const holders = [
  ...subsetsOf(MATTERS).map((held) => ({ held, otherwise: "ok", role: "admin" as const, project: null })),
  { held: MATTERS, otherwise: "insufficient_role", role: "member" as const, project: null },
  { held: MATTERS, otherwise: "insufficient_role", role: "member" as const, project: "shop" },
  { held: MATTERS, otherwise: "organization_token_required", role: "admin" as const, project: "shop" },
].map((holder) => ({ ...holder, token: `sk_of_the_holder_${[holder.role, holder.project ?? "all", ...holder.held].join(".")}` }));

function subsetsOf(matters: readonly Matter[]): Matter[][] {
  return matters.reduce<Matter[][]>((sets, matter) => [...sets, ...sets.map((set) => [...set, matter])], [[]]);
}

const tokens: readonly TokenEntry[] = [
  ...holders.map(({ held, role, project, token }): TokenEntry => ({ token, role, project, scopes: ["analytics:read", ...held.map((matter) => SCOPE[matter])] })),
  { token: "sk_counts_0123456789abcdefgh", role: "viewer", scopes: ["analytics:read"] },
  { token: "sk_events_0123456789abcdefgh", role: "viewer", scopes: ["analytics:read", "events:read"] },
];

let daybook: Daybook;
let handler: Handler;
beforeAll(async () => {
  daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
  await daybook.ingest([{ name: "a", userId: "u1", project: "shop", createdAt: NOW_MS - 1_000 }]);
  await daybook.segments.put("saved", segment(did, trait));
  await daybook.segments.put("harmless", segment(did));
  handler = handlerOf(daybook, { tokens: memoryTokens(tokens) });
});
afterAll(() => daybook.close());

describe("what a query holds asks for the rights of the routes about it", () => {
  it.each(TABLE.map(([report, input, ...matters]) => [report, JSON.stringify(input), matters.join(" and ") || "nothing", matters, input] as const))(
    "%s of %s: %s",
    async (report, _text, _named, matters, input) => {
      const differences: string[] = [];
      for (const { held, otherwise, token } of holders) {
        const owed = matters.length === 0 ? "ok" : matters.some((matter) => !held.includes(matter)) ? "insufficient_scope" : otherwise;
        for (const [path, body] of [[ROUTES[report], wireInput(input)], [`/v1/query/${report}`, input]] as const) {
          const sent = await send(handler, path, { body, token });
          const code = sent.status === 200 ? "ok" : codeOf(sent);
          if (code !== owed) differences.push(`${path} with ${token}: expected ${owed}, got ${sent.status} ${String(code)}`);
        }
      }
      expect(differences).toEqual([]);
    },
  );

  it("and comes after what is wrong with its parameters, and tells what asks for it", async () => {
    const ask = (body: object) => send(handler, ROUTES.trend, { body, token: "sk_counts_0123456789abcdefgh" });
    const wrong = await ask({ measure: { type: "revenue" }, interval: "days" });
    expect([wrong.status, codeOf(wrong)]).toEqual([400, "invalid_parameter"]);
    const refused = await ask({ measure: { type: "revenue" } });
    expect([refused.status, refused.json["detail"]]).toEqual([403, "measure revenue: expected a token with the scope revenue:read"]);
    const identities = await ask(wireInput(breakdown("person.plan")) as object);
    expect(identities.json["detail"]).toBe("person.*, first_touch.*, last_touch.*, and conditions of type trait: expected a token with the scope identities:read");
    const companies = await ask(wireInput(people(company)) as object);
    expect(companies.json["detail"]).toBe("company.*, and conditions of type company: expected a token with the scope companies:read");
  });
});

describe("values of single events and visitors", () => {
  const shown: readonly (readonly [report: Report, input: object, param: string, name: string])[] = [
    ...["id", "created_at", "anonymous_id", "external_id"].map((name): [Report, object, string, string] => ["trend", breakdown("device", name), "breakdown.fields[1]", name]),
    ["trend", { measure: { type: "max", field: "createdAt" } }, "measure.field", "createdAt"],
    ["funnel", { ...steps({ eventName: "b" }), ...breakdown("anonymousId") }, "breakdown.fields[0]", "anonymousId"],
    ["retention", breakdown("external_id"), "breakdown.fields[0]", "external_id"],
    ["sessionsOverview", breakdown("id"), "breakdown.fields[0]", "id"],
    ["paths", { node: "id" }, "node", "id"],
  ];

  it.each(shown)("are shown by %s of %j with the scope events:read alone", async (report, input, param, name) => {
    for (const [path, body] of [[ROUTES[report], wireInput(input)], [`/v1/query/${report}`, input]] as const) {
      const refused = await send(handler, path, { body, token: "sk_counts_0123456789abcdefgh" });
      expect([refused.status, codeOf(refused)]).toEqual([403, "insufficient_scope"]);
      expect(refused.text).toContain(`${param}: expected a token with the scope events:read`);
      expect(refused.text).toContain(name);
      expect((await send(handler, path, { body, token: "sk_events_0123456789abcdefgh" })).status).toBe(200);
    }
  });

  it("may be counted and filtered by everybody", async () => {
    for (const input of [{ measure: { type: "unique_values", field: "anonymous_id" } }, where("external_id")])
      expect((await send(handler, ROUTES.trend, { body: wireInput(input), token: "sk_counts_0123456789abcdefgh" })).status).toBe(200);
  });
});
