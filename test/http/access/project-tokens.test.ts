import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixedClock, memoryStorage, openDaybook } from "../../../src/index.js";
import type { Daybook } from "../../../src/index.js";
import { memoryTokens } from "../../../src/http/index.js";
import type { Handler } from "../../../src/http/index.js";
import { codeOf, handlerOf, NOW_MS, send } from "../kit.js";

let daybook: Daybook;
let handler: Handler;
beforeAll(async () => {
  daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
  const createdAt = NOW_MS - 60_000;
  await daybook.ingest([
    { name: "a", userId: "u1", anonymousId: "a1", externalId: "x1", companyId: "acme", project: "shop", createdAt },
    { name: "a", userId: "u2", companyId: "globex", project: "site", createdAt, metadata: { secret: 1 } },
    { name: "b", userId: "u3", companyId: "initech", project: "site", createdAt },
    { name: "b", userId: "u3", project: "shop", createdAt },
  ]);
  const tokens = memoryTokens([
    { token: "sk_owner_0123456789abcdefgh", role: "owner", scopes: ["*"] },
    { token: "sk_counts_0123456789abcdefgh", role: "viewer", scopes: ["analytics:read"] },
    { token: "sk_counts_shop_0123456789abcdefgh", role: "viewer", scopes: ["analytics:read"], project: "shop" },
    { token: "sk_both_0123456789abcdefgh", role: "viewer", scopes: ["analytics:read", "events:read"] },
    { token: "sk_both_shop_0123456789abcdefgh", role: "viewer", scopes: ["analytics:read", "events:read"], project: "shop" },
  ]);
  handler = handlerOf(daybook, { tokens });
});
afterAll(() => daybook.close());

const ROUTES = ["/analytics/aggregate", "/v1/query/aggregate"];
const OF_EVENTS = ["id", "createdAt", "created_at", "anonymousId", "anonymous_id", "externalId", "external_id"];
const OTHERS = ["user_id", "identity_id", "company_id", "path", "name", "project", "value"];

describe.each(ROUTES)("%s", (path) => {
  const ask = (field: string, token: string, rest: object = {}) => send(handler, path, { body: { field, ...rest }, token });

  it.each(OF_EVENTS)("by %s, whose values are those of single events or visitors, asks for the scope events:read too", async (field) => {
    for (const token of ["sk_counts_0123456789abcdefgh", "sk_counts_shop_0123456789abcdefgh"]) {
      const sent = await ask(field, token, { limit: 1, measure: "unique_users" });
      expect([sent.status, codeOf(sent)]).toEqual([403, "insufficient_scope"]);
      expect(sent.text).toContain(`expected a token with the scope events:read to show values of ${field}`);
      expect(sent.text).not.toContain("x1");
    }
    for (const token of ["sk_both_0123456789abcdefgh", "sk_both_shop_0123456789abcdefgh", "sk_owner_0123456789abcdefgh"]) expect((await ask(field, token)).status).toBe(200);
  });

  it.each(OTHERS)("by %s asks for analytics:read alone", async (field) => {
    for (const token of ["sk_counts_0123456789abcdefgh", "sk_counts_shop_0123456789abcdefgh"]) expect((await ask(field, token)).status).toBe(200);
  });

  it("by company names companies of people with events in the project, and none of another's", async () => {
    const sent = await ask("company_id", "sk_counts_shop_0123456789abcdefgh");
    // The company of u3 is known from an event of another project: who somebody is, and belongs to, is the organization's.
    expect(sent.json["data"] ?? sent.json["answer"]).toEqual([{ property: "acme", count: 1 }, { property: "initech", count: 1 }]);
  });
});

it("an explanation of such an aggregate asks for the same", async () => {
  const explain = (token: string) => send(handler, "/v1/query/aggregate?explain=true", { body: { field: "id" }, token });
  expect(codeOf(await explain("sk_counts_0123456789abcdefgh"))).toBe("insufficient_scope");
  expect((await explain("sk_both_0123456789abcdefgh")).status).toBe(200);
});

it("a token of a project is not told which names events of other projects have", async () => {
  const filters = (name: string) => ({ filter_groups: [{ filters: [{ field_name: name, operator: "is_set" }] }] });
  const noticed = async (name: string, token: string) => {
    const sent = await send(handler, "/analytics/count-events", { body: filters(name), token });
    expect(sent.status).toBe(200);
    return sent.headers.has("daybook-notice");
  };
  expect([await noticed("secret", "sk_owner_0123456789abcdefgh"), await noticed("sceret", "sk_owner_0123456789abcdefgh")]).toEqual([false, true]);
  for (const token of ["sk_counts_shop_0123456789abcdefgh", "sk_both_shop_0123456789abcdefgh"]) expect([await noticed("secret", token), await noticed("sceret", token)]).toEqual([false, false]);
});
