import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fixedClock, memoryStorage, openDaybook, type Daybook } from "../../../src/index.js";
import { memoryTokens, type Handler } from "../../../src/http/index.js";
import { codeOf, handlerOf, NOW_MS, send, TOKENS } from "../kit.js";

let daybook: Daybook;
let handler: Handler;
beforeEach(async () => {
  daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
  const visits = [["a", "2026-03-01T00:00:00Z"], ["b", "2026-03-09T23:00:00Z"], ["c", "2026-03-10T00:00:00Z"]] as const;
  for (const project of ["shop/ü", "site"]) await daybook.ingest(visits.map(([url, createdAt]) => ({ name: "visit", url, createdAt, project })));
  const tokens = [...TOKENS, { token: "sk_member_0123456789abcdefgh", role: "member" as const, scopes: ["*" as const] }, { token: "sk_admin_0123456789abcdefgh", role: "admin" as const, scopes: ["events:delete" as const] }];
  handler = handlerOf(daybook, { tokens: memoryTokens(tokens) });
});
afterEach(() => daybook.close());

describe("deletions over HTTP", () => {
  it("delete a project by its name, percent-encoded, and answer with a receipt", async () => {
    const { status, json } = await send(handler, `/v1/projects/${encodeURIComponent("shop/ü")}`, { method: "DELETE", token: "sk_admin_0123456789abcdefgh" });
    expect([status, json]).toEqual([200, { deleted_at: "2026-03-10T12:00:00.000Z", events: 3, segments_rewritten: 3, segments_removed: 0, dictionary_values: 1 }]);
    expect(daybook.projects()).toEqual(["default", "site"]);
    const again = await send(handler, `/v1/projects/${encodeURIComponent("shop/ü")}`, { method: "DELETE" });
    expect([again.status, codeOf(again)]).toEqual([404, "project_not_found"]);
  });

  it("delete events before an instant, of all projects or of one", async () => {
    expect((await send(handler, "/v1/events/delete", { body: { before: "2026-03-02" } })).json).toMatchObject({ events: 2, segments_removed: 1, dictionary_values: 1 });
    expect((await send(handler, "/v1/events/delete", { body: { before: "2026-03-10T00:00:00Z", project: "site" } })).json).toMatchObject({ events: 1 });
    expect(await daybook.countEvents()).toBe(3);
    const bodies = [{}, { before: "soon" }, { before: "2026-03-02", project: "nobody" }, { before: "2026-03-02", until: "x" }];
    const codes = [];
    for (const body of bodies) codes.push(codeOf(await send(handler, "/v1/events/delete", { body })));
    expect(codes).toEqual(["invalid_parameter", "invalid_date", "project_not_found", "unknown_parameter"]);
    expect(await daybook.countEvents()).toBe(3);
  });

  it("set, list, preview and take back rules, and sweep by them", async () => {
    const preview = async (body: object) => (await send(handler, "/v1/time-to-live/preview", { body })).json;
    expect(await preview({ days: 7 })).toMatchObject({ events: 2, days: 1, projects: [{ project: "shop/ü", kept_from: "2026-03-03", events: 1, days: 1 }, { project: "site" }] });
    expect(await preview({})).toEqual({ events: 0, days: 0, projects: [] });
    const rules = [{ project: null, days: 7 }, { project: "site", days: 1 }];
    expect((await send(handler, "/v1/time-to-live", { method: "PUT", body: { days: 7 } })).json).toEqual({ rules: rules.slice(0, 1) });
    expect((await send(handler, "/v1/time-to-live", { method: "PUT", body: { project: "site", days: 1 } })).json).toEqual({ rules });
    expect((await send(handler, "/v1/time-to-live", { method: "GET" })).json).toEqual({ rules });
    expect((await send(handler, "/v1/time-to-live/sweep", { body: {} })).json).toMatchObject({ events: 2 });
    expect((await send(handler, "/v1/time-to-live/off", { body: { project: "site" } })).json).toEqual({ off: true });
    expect((await send(handler, "/v1/time-to-live/off", { body: { project: "site" } })).json).toEqual({ off: false });
    expect(codeOf(await send(handler, "/v1/time-to-live", { method: "PUT", body: { days: 0.5 } }))).toBe("invalid_parameter");
  });

  it("tell a sender that an event is past its time", async () => {
    await daybook.timeToLive.set("site", { days: 1 });
    const old = { name: "visit", createdAt: "2026-03-08T23:59:59Z", project: "site" };
    expect((await send(handler, "/v1/events", { body: { events: [old, { ...old, project: "shop/ü" }] } })).json).toMatchObject({ accepted: 1, rejected: [{ index: 0, code: "expired" }] });
    const shop = await daybook.timeToLive.set(null, { days: 1 });
    expect(shop).toBeUndefined();
    const tracked = await send(handler, "/v1/track", { body: { event: "visit", userId: "u", timestamp: "2026-03-08T23:59:59Z" } });
    expect([tracked.status, codeOf(tracked)]).toEqual([422, "expired"]);
  });

  it.each([["sk_member_0123456789abcdefgh", "insufficient_role"], ["sk_write_0123456789abcdefgh", "insufficient_scope"], ["sk_shop_0123456789abcdefgh", "organization_token_required"]])("refuse the token %s: %s", async (token, code) => {
    expect(codeOf(await send(handler, "/v1/events/delete", { token, body: { before: "2026-03-02" } }))).toBe(code);
    expect(await daybook.countEvents()).toBe(6);
  });
});
