import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fixedClock, memoryStorage, openDaybook } from "../../../src/index.js";
import type { Daybook } from "../../../src/index.js";
import { memoryTokens } from "../../../src/http/index.js";
import type { Handler } from "../../../src/http/index.js";
import { handlerOf, NOW_MS, send } from "../kit.js";

const ID = "0195a5f0-7c00-7000-8000-00000000000";
const createdAt = NOW_MS - 60_000;
let daybook: Daybook;
let handler: Handler;

beforeEach(async () => {
  daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
  await daybook.ingest([{ id: `${ID}1`, name: "a", userId: "gone", project: "site", createdAt }]);
  await daybook.identify({ id: `${ID}2`, userId: "u1", anonymousId: "a1" });
  const request = await daybook.privacyRequests.create({ type: "erasure", subject: { userId: "gone" } });
  await daybook.privacyRequests.verify(request.id);
  await daybook.privacyRequests.acknowledge(request.id);
  await daybook.privacyRequests.resolve(request.id, "completed");
  await daybook.ingest([{ id: `${ID}3`, name: "a", userId: "u1", project: "site", createdAt }]);
  const tokens = memoryTokens([
    { token: "sk_owner_0123456789abcdefgh", role: "owner", scopes: ["*"] },
    { token: "sk_shop_0123456789abcdefgh", role: "owner", scopes: ["*"], project: "shop" },
  ]);
  handler = handlerOf(daybook, { tokens });
});
afterEach(() => daybook.close());

const post = (path: string, body: unknown, token = "sk_shop_0123456789abcdefgh") => send(handler, path, { body, token });

describe("a token of a project", () => {
  it("is answered of an event whose id another project has as of any other", async () => {
    const answers = [await post("/v1/events", [{ id: `${ID}3`, name: "a" }]), await post("/v1/events", [{ id: `${ID}4`, name: "a" }])];
    for (const { json } of answers) expect(json).toEqual({ accepted: 1, duplicates: 0, rejected: [], adjusted: [] });
    expect((await post("/v1/events", [{ id: `${ID}4`, name: "a" }])).json).toMatchObject({ accepted: 0, duplicates: 1 });
  });

  it("is answered of events, calls and records of an erased person as of anybody else's, and nothing of them is stored", async () => {
    const said = async (userId: string) => [
      (await post("/v1/events", [{ name: "a", userId, createdAt }])).json,
      (await post("/v1/track", { event: "a", userId, timestamp: createdAt })).json,
      (await post("/v1/identify", { userId, timestamp: createdAt })).json,
      (await post("/v1/batch", { batch: [{ type: "track", event: "a", userId, timestamp: createdAt }, { type: "group", groupId: "g", userId, timestamp: createdAt }] })).json,
      (await post("/v1/records", [{ type: "identify", userId, createdAt }])).json,
    ];
    expect(await said("gone")).toEqual(await said("never"));
    expect([await daybook.countEvents({ userId: "never" }), await daybook.countEvents({ userId: "gone" })]).toEqual([3, 0]);
    expect((await post("/v1/events", [{ name: "a", userId: "gone", createdAt }], "sk_owner_0123456789abcdefgh")).json).toMatchObject({ accepted: 0, rejected: [{ code: "suppressed" }] });
  });

  it("is answered of a record whose id is there already as of a new one", async () => {
    const body = (id: string) => [{ type: "identify", id, userId: "u9" }];
    for (const id of [`${ID}2`, `${ID}5`]) expect((await post("/v1/records", body(id))).json).toEqual({ accepted: 1, duplicates: 0, rejected: [], adjusted: [] });
    expect((await post("/v1/records", body(`${ID}2`), "sk_owner_0123456789abcdefgh")).json).toMatchObject({ accepted: 0, duplicates: 1 });
  });

  it("neither merges users nor takes a merge back, on any route", async () => {
    const refused = [
      await post("/v1/alias", { previousId: "u1", userId: "u2" }),
      await post(`/v1/records/${ID}2/unlink`, {}),
    ];
    for (const { status, json } of refused) expect([status, json["code"], json["detail"]]).toEqual([403, "organization_token_required", expect.stringContaining("expected an organization token")]);
    for (const each of [{ type: "alias", from: "u1", to: "u2" }, { type: "unlink", linkId: `${ID}2` }])
      expect((await post("/v1/records", [each])).json).toMatchObject({ accepted: 0, rejected: [{ index: 0, code: "organization_token_required" }] });
    expect((await post("/v1/batch", { batch: [{ type: "alias", previousId: "u1", userId: "u2" }] })).json).toMatchObject({ accepted: 0, rejected: [{ index: 0, code: "organization_token_required" }] });
    expect((await post("/v1/alias", { previousId: "u1", userId: "u2" }, "sk_owner_0123456789abcdefgh")).status).toBe(200);
  });
});
