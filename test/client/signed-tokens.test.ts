import { afterEach, beforeEach, expect, it } from "vitest";
import { connectDaybook, type DaybookClient } from "../../src/client/index.js";
import { createHandler, memoryTokens, type Handler } from "../../src/http/index.js";
import { fixedClock, memoryStorage, openDaybook, type Daybook, type Scope } from "../../src/index.js";
import { NOW_MS } from "../http/kit.js";

const OWNER = "sk_owner_0123456789abcdefgh";
const SCOPE: Scope = { filterGroups: [{ filters: [{ fieldName: "device", operator: "equals", value: "mobile" }] }], from: new Date(0) };

let daybook: Daybook;
let handler: Handler;
let owner: DaybookClient;
beforeEach(async () => {
  daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
  await daybook.ingest(["mobile", "mobile", "desktop"].map((device) => ({ name: "visit", device, createdAt: "2026-03-10T11:00:00Z" })));
  handler = createHandler({ organizations: { acme: daybook }, tokens: memoryTokens([{ token: OWNER, role: "owner", scopes: ["*"], organization: "acme" }]), clock: fixedClock(NOW_MS) });
  owner = clientWith(OWNER);
});
afterEach(async () => {
  await daybook.close();
});

function clientWith(token: string): DaybookClient {
  return connectDaybook({ url: "http://daybook.test", token, fetch: handler });
}

it("A client signs a scope for its organization, and a client with the signed token runs queries in it.", async () => {
  const token = await owner.signScope(SCOPE, { expiresAt: new Date(NOW_MS + 60_000) });
  expect(await daybook.verifyScopeToken(token)).toEqual({
    scope: { ...SCOPE, from: "1970-01-01T00:00:00.000Z" }, organization: "acme", expiresAt: "2026-03-10T12:01:00.000Z", origins: null,
  });
  const holder = clientWith(token);
  expect([await holder.countEvents(), await owner.countEvents()]).toEqual([2, 3]);
  expect(await holder.trend({ startDate: "2026-03-10", endDate: "2026-03-10" })).toMatchObject({ series: [{ data: [2] }] });
  for (const call of [holder.ingest([{ name: "a" }]), holder.stats(), holder.projects(), holder.explain("countEvents"), holder.searchEvents(), holder.signScope({}, { expiresIn: 1 })])
    await expect(call).rejects.toMatchObject({ code: "forbidden_by_scope", details: { status: 403 } });
});

it("Faults in the scope and its options have the same words as without a client.", async () => {
  for (const [scope, options] of [[{ lastDays: 0 }, { expiresIn: 60 }], [{}, { expiresIn: "2d" }], [{}, {}]] as const) {
    const [there, here] = await Promise.all([owner, daybook].map((each) => each.signScope(scope, options).catch((error: unknown) => error as Error)));
    expect([(there as { code?: unknown }).code, (there as Error).message]).toEqual([(here as { code?: unknown }).code, (here as Error).message]);
  }
});
