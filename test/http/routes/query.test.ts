import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixedClock, memoryStorage, openDaybook } from "../../../src/index.js";
import type { Daybook } from "../../../src/index.js";
import type { Handler } from "../../../src/http/index.js";
import { codeOf, get, handlerOf, NOW_MS, send } from "../kit.js";

let daybook: Daybook;
let handler: Handler;
beforeAll(async () => {
  daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
  handler = handlerOf(daybook);
  await daybook.ingest(Array.from({ length: 10 }, (_, at) => ({ name: "a", userId: `u${at}`, project: at % 2 === 0 ? "shop" : "site", createdAt: NOW_MS - at * 60_000, browser: "Firefox" })));
});
afterAll(() => daybook.close());

const ask = (name: string, body: unknown = {}, token = "sk_owner_0123456789abcdefgh") => send(handler, `/v1/query/${name}`, { body, token });

describe("a query in the words of the library", () => {
  it("is answered about the token's project alone, whichever query it is, and not explained: that counts rows of others", async () => {
    for (const report of ["countEvents", "countEventsPerDay", "countEventsRunningTotalPerDay", "countUniqueUsers", "countUniqueUsersPerDay", "aggregate", "searchEvents"] as const) {
      const input = report === "aggregate" ? { field: "browser" } : {};
      const [own, all] = [await daybook[report]({ ...input, project: "shop" } as never), await daybook[report](input as never)];
      expect(own).not.toEqual(all);
      expect((await ask(report, input)).json).toEqual({ answer: all });
      for (const project of [undefined, null, "shop"]) expect((await ask(report, { ...input, project }, "sk_shop_0123456789abcdefgh")).json).toEqual({ answer: own });
      for (const project of ["site", "nope", "", 5, ["site"]]) {
        const sent = await ask(report, { ...input, project }, "sk_shop_0123456789abcdefgh");
        expect([sent.status, codeOf(sent), sent.json["param"], sent.json["detail"]]).toEqual([404, "project_not_found", "project", "project: no such project"]);
      }
      const explained = await ask(`${report}?explain=true`, input, "sk_shop_0123456789abcdefgh");
      expect([explained.status, codeOf(explained)]).toEqual([403, "organization_token_required"]);
    }
  });

  it("that is none has no route", async () => {
    for (const name of ["exportEvents", "constructor", "seal", "count-events", ""]) expect((await ask(name)).status).toBe(404);
    expect(codeOf(await get(handler, "/v1/query/countEvents"))).toBe("method_not_allowed");
  });

  it("is refused in the names of the library", async () => {
    const sent = await ask("countEvents", { filterGroups: [{ filters: [{ fieldName: "a", operator: "like" }] }] });
    expect([sent.status, codeOf(sent), sent.json["param"]]).toEqual([400, "invalid_operator", "filterGroups[0].filters[0].operator"]);
    expect((await ask("countEvents", { event_name: "a" })).json).toMatchObject({ code: "unknown_parameter", param: "event_name" });
    expect(codeOf(await ask("countEvents", []))).toBe("invalid_body");
    expect(codeOf(await ask("countEvents?explain=1"))).toBe("invalid_parameter");
    expect(codeOf(await ask("ltvCohorts", { project: "nope" }))).toBe("project_not_found");
  });

  it("carries an entity tag", async () => {
    const first = await ask("countEvents");
    const again = await send(handler, "/v1/query/countEvents", { body: {}, headers: { "if-none-match": first.headers.get("etag") ?? "" } });
    expect([again.status, again.text]).toEqual([304, ""]);
  });
});

describe("an export over HTTP", () => {
  const lines = async (body: object, token?: string) => {
    const { text } = await send(handler, "/v1/exports/events", { body, ...(token === undefined ? {} : { token }) });
    return text.split("\n").slice(0, -1).map((line) => JSON.parse(line) as { id: string; createdAt: string; project: string });
  };

  it("begins after the event it is told, and never before its range", async () => {
    const all = await lines({});
    expect(all).toHaveLength(10);
    const [third] = all.slice(2);
    const after = { createdAt: third?.createdAt, id: third?.id, project: third?.project };
    expect(await lines({ after })).toEqual(all.slice(3));
    expect(await lines({ after: { ...after, id: third?.id.toUpperCase() } })).toEqual(all.slice(3));
    expect(await lines({ after, startDate: all[6]?.createdAt })).toEqual(all.slice(6));
    expect((await lines({ after }, "sk_shop_0123456789abcdefgh")).map(({ project }) => project)).toEqual(all.slice(3).map(({ project }) => project).filter((project) => project === "shop"));
  });

  it("of records goes on behind a record with what takes that record back", async () => {
    const told = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
    const linkId = "0195800a-0000-7000-8000-000000000003";
    await told.ingestRecords([{ type: "identify", id: linkId, userId: "u1", createdAt: NOW_MS }, { type: "unlink", linkId, createdAt: NOW_MS }]);
    const typesAfter = async (after: object) => {
      const { text } = await send(handlerOf(told), "/v1/exports/records", { body: { after } });
      return [...text.matchAll(/"type":"(\w+)"/g)].map(([, type]) => type);
    };
    const place = { createdAt: "2026-03-10T12:00:00.000Z", id: linkId };
    expect(await typesAfter({ type: "project", name: "" })).toEqual(["identify", "unlink"]);
    expect(await typesAfter({ type: "identify", ...place })).toEqual(["unlink"]);
    expect(await typesAfter({ type: "unlink", ...place })).toEqual([]);
    await told.close();
  });

  it("is refused where a place is none", async () => {
    for (const [after, param] of [
      [{ createdAt: "x", id: "y", project: "shop" }, "after.createdAt"], [{ createdAt: "2026-03-01T00:00:00Z", id: "y", project: "shop" }, "after.id"],
      [{ id: "y", project: "shop" }, "after.createdAt"], [{ createdAt: "2026-03-01T00:00:00Z", id: "y" }, "after.project"],
    ])
      expect((await send(handler, "/v1/exports/events", { body: { after } })).json).toMatchObject({ code: "invalid_parameter", param });
  });
});
