import { afterEach, beforeEach, expect, it } from "vitest";
import { memoryStorage, openDaybook, type Daybook, type QueryNotice } from "../../../src/index.js";
import { SERVER_LIMITS } from "../../../src/core/base/server-limits.js";
import { noticeHeader } from "../../../src/http/answer/headers.js";
import { handlerOf, send } from "../kit.js";

let daybook: Daybook;
beforeEach(async () => {
  daybook = await openDaybook({ storage: memoryStorage() });
  await daybook.ingest([{ name: "signup", metadata: { plan: "pro" } }]);
});
afterEach(async () => {
  await daybook.close();
});

const groups = (...names: string[]) => ({ filter_groups: [{ filters: names.map((field_name) => ({ field_name, operator: "is_set" })) }] });
const notice = (name: string, param = "filterGroups[0].filters[0].fieldName"): QueryNotice => ({ code: "unknown_field", message: "", param, name, report: "countEvents" });

it.each(["/analytics/count-events", "/analytics/count-unique-users-per-day", "/search-events"])("%s tells of a name that no event has, and of no other", async (path) => {
  const handler = handlerOf(daybook);
  const noticed = await send(handler, path, { body: groups("plan", "plna") });
  expect(noticed.status).toBe(200);
  expect(noticed.headers.get("daybook-notice")).toBe('unknown_field; param="filter_groups[0].filters[1].field_name"; name="plna"');
  expect((await send(handler, path, { body: groups("plan", "locationCountry") })).headers.has("daybook-notice")).toBe(false);
});

it("an aggregate by metadata that no event has tells so", async () => {
  const sent = await send(handlerOf(daybook), "/analytics/aggregate", { body: { metadata_field: "plna" } });
  expect(sent.headers.get("daybook-notice")).toBe('unknown_field; param="metadata_field"; name="plna"');
  const byField = await send(handlerOf(daybook), "/analytics/aggregate", { body: { field: "metadata.plna" } });
  expect(byField.headers.get("daybook-notice")).toBe('unknown_field; param="field"; name="metadata.plna"');
});

it("an answer that is known already tells so too", async () => {
  const handler = handlerOf(daybook);
  const first = await send(handler, "/analytics/count-events", { body: groups("plna") });
  const again = await send(handler, "/analytics/count-events", { body: groups("plna"), headers: { "if-none-match": first.headers.get("etag") ?? "" } });
  expect([again.status, again.headers.get("daybook-notice")]).toEqual([304, expect.stringContaining("plna")]);
});

it("nothing of a name ends a text or a header, whatever it holds", async () => {
  for (const name of ['a"; evil="1', "a\r\nX-Evil: 1", "a\\", "a, b; c", "Ünï\u{1F600}", "\u0000"]) {
    const sent = await send(handlerOf(daybook), "/analytics/count-events", { body: groups(name) });
    expect(sent.headers.get("daybook-notice"), name).toBe(`unknown_field; param="filter_groups[0].filters[0].field_name"; name="${encodeURIComponent(name)}"`);
    expect(sent.headers.has("x-evil")).toBe(false);
  }
});

it("is of bounded length, however many names there are and however long", () => {
  expect(noticeHeader([])).toEqual({});
  const value = (notices: QueryNotice[]) => noticeHeader(notices)["daybook-notice"] ?? "";
  const long = value([notice("\u{1F600}".repeat(4_096))]);
  expect(long).toMatch(/name="(%F0%9F%98%80)+\.\.\."$/);
  expect(long.length).toBeLessThan(SERVER_LIMITS.noticeNameChars + 100);
  const many = value(Array.from({ length: 100 }, (_, at) => notice("x".repeat(80), `filterGroups[${at}].filters[0].fieldName`)));
  expect(many).toMatch(/, more; count=9\d$/);
  expect(many.length).toBeLessThanOrEqual(SERVER_LIMITS.noticeHeaderChars + 20);
});
