import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { fixedClock, memoryStorage, openDaybook } from "daybook";
import { createHandler, memoryTokens } from "../../../src/http/index.js";
import { NOW_MS, TOKENS, codeOf, handlerOf, send, stubDaybook } from "../kit.js";

const NDJSON = { "content-type": "application/x-ndjson" };
const records = [
  { type: "identify", userId: "ann", anonymousId: "phone" },
  { type: "unlink", linkId: "00000000-0000-4000-8000-000000000001" },
];

describe("POST /v1/records", () => {
  it.each([
    ["an object with records", { records }, {}],
    ["a bare array", records, {}],
    ["NDJSON", records.map((record) => JSON.stringify(record)).join("\n"), NDJSON],
    ["gzip", gzipSync(JSON.stringify(records)), { "content-encoding": "gzip" }],
  ])("takes %s", async (_, body, headers) => {
    const daybook = stubDaybook();
    const sent = await send(handlerOf(daybook), "/v1/records", { body, headers });
    expect([sent.status, sent.json]).toEqual([200, { accepted: 2, duplicates: 0, rejected: [], adjusted: [] }]);
    expect(daybook.asked).toEqual([{ method: "ingestRecords", input: records }]);
  });

  it("stores what it is sent, and names what it is not by index.", async () => {
    const daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
    const handler = createHandler({ organizations: { default: daybook }, tokens: memoryTokens(TOKENS), clock: fixedClock(NOW_MS) });
    await daybook.ingest([{ name: "visit", anonymousId: "phone" }, { name: "visit", userId: "ann" }]);
    const sent = await send(handler, "/v1/records", { body: [null, { type: "identify", userId: "ann", anonymousId: "phone" }, { type: "person" }] });
    expect(sent.json).toEqual({
      accepted: 1,
      duplicates: 0,
      rejected: [
        { index: 0, code: "invalid_parameter", message: "expected an object, got null" },
        { index: 2, code: "invalid_parameter", message: 'type: expected one of identify, group, alias, unlink, project, got "person"' },
      ],
      adjusted: [],
    });
    expect(await daybook.countUniqueUsers()).toBe(1);
    await daybook.close();
  });

  it("lets a project's token tell who is who, not merge users, take back what others told, nor make projects.", async () => {
    const rejected = [{ index: 1, code: "invalid_parameter", message: "no" }] as const;
    const adjusted = [{ index: 0, createdAt: "2026-03-10T12:00:00.000Z" }];
    const daybook = stubDaybook({ ingestRecords: async () => ({ accepted: 1, duplicates: 0, rejected, adjusted }) });
    const body = [{ type: "project", name: "shop" }, records[0], records[1], null];
    const sent = await send(handlerOf(daybook), "/v1/records", { body, token: "sk_shop_0123456789abcdefgh" });
    expect(sent.json).toMatchObject({
      accepted: 1,
      rejected: [{ index: 0, code: "organization_token_required" }, { index: 2, code: "organization_token_required" }, { index: 3, code: "invalid_parameter" }],
      adjusted: [{ index: 1, createdAt: "2026-03-10T12:00:00.000Z" }],
    });
  });

  it("hands what a project's token may send to the library, and nothing else.", async () => {
    const daybook = stubDaybook();
    await send(handlerOf(daybook), "/v1/records", { body: [records[1], null, records[0]], token: "sk_shop_0123456789abcdefgh" });
    expect(daybook.asked).toEqual([{ method: "ingestRecords", input: [null, records[0]] }]);
  });

  it.each([
    ["a missing list", "{}", "invalid_parameter"],
    ["another member", '{"records":[],"x":1}', "unknown_parameter"],
    ["a scalar", "5", "invalid_body"],
  ])("refuses %s", async (_, body, code) => {
    const sent = await send(handlerOf(stubDaybook()), "/v1/records", { body });
    expect([sent.status, codeOf(sent)]).toEqual([400, code]);
  });

  it("is described with its records in OpenAPI.", async () => {
    const sent = await send(handlerOf(stubDaybook()), "/openapi.json", { method: "GET" });
    const { components, paths } = sent.json as { components: { schemas: Record<string, { anyOf?: unknown[]; oneOf?: unknown[] }> }; paths: Record<string, unknown> };
    const { anyOf, oneOf } = components.schemas["Record"] ?? {};
    expect((anyOf ?? oneOf)?.length).toBe(5);
    expect(JSON.stringify(paths["/v1/records"])).toContain("#/components/schemas/Record");
  });
});
