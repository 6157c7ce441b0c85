import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DaybookError, fixedClock, memoryStorage, openDaybook } from "../../src/index.js";
import type { Daybook, EventInput, RecordInput } from "../../src/index.js";
import type { DaybookClient } from "../../src/client/index.js";
import { SERVER_LIMITS } from "../../src/core/base/server-limits.js";
import { NOW_MS } from "../http/kit.js";
import { useServerLimits } from "../limits.js";
import { clientOn, clientOver, handlerOver, VirtualMachine } from "./kit.js";

let daybook: Daybook;
let client: DaybookClient;
/** Hears the same without a client. */
let twin: Daybook;
beforeEach(async () => {
  twin = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
  daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
  client = clientOver(daybook);
});
afterEach(async () => {
  await daybook.close();
  await twin.close();
});

/** What came of it, the words of an error included. */
async function outcome(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    if (!(error instanceof DaybookError)) throw error;
    return { code: error.code, message: error.message, param: error.details.param };
  }
}

/** What two Daybooks answer to the same writes: one through a client, one itself. */
async function sameOn(act: (target: DaybookClient | Daybook) => Promise<unknown>): Promise<void> {
  expect(await outcome(act(client))).toEqual(await outcome(act(twin)));
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe("events through a client", () => {
  const events = [
    { id: "one", name: "a", createdAt: new Date(NOW_MS), metadata: { when: new Date(0), deep: [{ x: [undefined, null] }], gone: undefined } },
    { id: "one", name: "b" },
    { id: "", name: "c", project: "shop" },
    { name: "" },
    null,
    5,
    { name: "d", unheard: 1 },
    { name: "lone \ud800" },
    { name: "ahead", createdAt: NOW_MS + 300_001 },
    { name: "seconds", createdAt: NOW_MS / 1_000 },
  ] as EventInput[];

  it("are stored, known and rejected as the library does it, word by word", async () => {
    await sameOn((target) => target.ingest(events));
    await sameOn((target) => target.ingest(events, { project: "shop" }));
    await sameOn((target) => target.ingest([{ name: "x" }], { project: "" }));
    await sameOn((target) => target.ingest({} as EventInput[]));
    await sameOn((target) => target.ingest([]));
    await sameOn((target) => target.ingest([{ name: "x" }], { project: "größe & co/?#" }));
    expect(daybook.projects()).toEqual(["default", "größe & co/?#", "shop"]);
  });

  it("keep their times and metadata", async () => {
    await client.ingest(events);
    await twin.ingest(events);
    const withoutIds = async (from: Daybook) => (await from.searchEvents()).events.map((event) => ({ ...event, id: "" })).sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(await withoutIds(daybook)).toEqual(await withoutIds(twin));
  });

  it("that JSON cannot carry are rejected one by one, each at its place", async () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const deep = JSON.parse(`${"[".repeat(70)}${"]".repeat(70)}`) as unknown;
    const wrong = [{ n: Number.NaN }, { n: 1n }, { f: () => 1 }, { m: new Map() }, circle, { deep }, { d: new Date(Number.NaN) }];
    const batch = wrong.flatMap((metadata): EventInput[] => [{ name: "good" }, { name: "bad", metadata }]);
    const rejectedBy = async (target: Pick<Daybook, "ingest">) => (await target.ingest(batch)).rejected.map(({ index, code }) => [index, code]);
    const rejected = await rejectedBy(client);
    expect(rejected).toEqual(wrong.map((_, at) => [2 * at + 1, "invalid_event"]));
    expect(await daybook.countEvents()).toBe(wrong.length);
    expect(rejected).toEqual(await rejectedBy(daybook));
    const huge = { name: "huge", metadata: { text: "x".repeat(SERVER_LIMITS.clientEventChars) } };
    expect(await client.ingest([huge, { name: "good" }])).toMatchObject({ accepted: 1, rejected: [{ index: 0, code: "invalid_event" }] });
  });

  it("of a large batch go in pieces, and what is rejected keeps its place", async () => {
    const bodies: number[] = [];
    const handler = handlerOver(daybook);
    const counting = clientOn(new VirtualMachine(), {
      fetch: async (request) => {
        bodies.push((await request.clone().arrayBuffer()).byteLength);
        return await handler(request);
      },
    });
    const text = "é".repeat(4_000);
    const batch: EventInput[] = Array.from({ length: 600 }, (_, at) => ({ id: `event ${at % 590}`, name: at % 100 === 99 ? "" : "a", createdAt: NOW_MS, metadata: { text } }));
    const result = await counting.ingest(batch);
    expect(bodies.length).toBeGreaterThan(2);
    expect(Math.max(...bodies)).toBeLessThan(3 * SERVER_LIMITS.clientPieceChars);
    expect(result).toEqual(await twin.ingest(batch));
    expect(result.rejected.map(({ index }) => index)).toEqual([99, 199, 299, 399, 499, 599]);
  });

  it("that are rejected by the thousand are counted, and the first hundred of each request named", async () => {
    const good = { name: "a", createdAt: NOW_MS };
    const batch: EventInput[] = Array.from({ length: SERVER_LIMITS.bodyItemCount + 150 }, (_, at) => (at % 10 === 0 ? good : { name: "" }));
    const { accepted, rejected, rejectedCount } = await client.ingest(batch);
    const isBad = (index: number) => index % 10 !== 0;
    const ofRequest = (from: number) => Array.from({ length: batch.length - from }, (_, at) => from + at).filter(isBad).slice(0, 100);
    expect(rejected.map(({ index }) => index)).toEqual([...ofRequest(0), ...ofRequest(SERVER_LIMITS.bodyItemCount)]);
    expect([accepted, rejectedCount]).toEqual([batch.length / 10, (batch.length * 9) / 10]);
    expect(rejected[0]?.message).toBe((await twin.ingest(batch.slice(0, 2))).rejected[0]?.message);
    expect(await client.ingest(batch.slice(0, 111))).not.toHaveProperty("rejectedCount");
  });

  it("of a large batch that are ahead of the clock keep their places, behind what is not sent at all", async () => {
    const text = "é".repeat(4_000);
    const batch: EventInput[] = Array.from({ length: 600 }, (_, at) => ({
      ...{ id: `event ${at % 590}`, name: "a", createdAt: NOW_MS + (at % 100 === 98 || at > 594 ? 300_001 : 300_000), metadata: { text } },
    }));
    batch[1] = { name: "bad", metadata: { n: 1n } };
    const { rejected, adjusted } = await client.ingest(batch);
    expect(rejected.map(({ index }) => index)).toEqual([1]);
    // Those of the end are duplicates.
    expect(adjusted).toEqual([98, 198, 298, 398, 498].map((index) => ({ index, createdAt: new Date(NOW_MS).toISOString() })));
  });

  it("tell how many were stored when a later piece fails", async () => {
    const handler = handlerOver(daybook);
    let count = 0;
    const failing = clientOn(new VirtualMachine(), { fetch: (request) => ((count += 1) === 1 ? handler(request) : Promise.resolve(new Response(null, { status: 413 }))) });
    const batch = Array.from({ length: 300 }, () => ({ name: "a", metadata: { text: "x".repeat(8_000) } }));
    const error = await failing.ingest(batch).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "unreachable", details: { status: 413, storedCount: await daybook.countEvents() } });
  });

  it("of a project's token belong to its project", async () => {
    const shop = clientOver(daybook, "sk_shop_0123456789abcdefgh");
    expect(await shop.ingest([{ name: "a" }, { name: "a", project: "site" }], { project: "shop" })).toMatchObject({ accepted: 1, rejected: [{ index: 1, code: "project_not_allowed" }] });
    expect(await outcome(shop.ingest([{ name: "a" }], { project: "site" }))).toMatchObject({ code: "project_not_found", param: "project" });
  });
});

describe("who is who through a client", () => {
  it("is told, taken back and refused as in the library, word by word", async () => {
    for (const act of [
      (target) => target.identify({ id: "r1", anonymousId: "a1", userId: 7, traits: { email: "A@b.c", when: new Date(0) } }),
      (target) => target.group({ id: "r2", userId: "u1", companyId: "acme", createdAt: new Date(NOW_MS) }),
      (target) => target.alias({ id: "r3", from: "a", to: "b" }),
      (target) => target.identify({ userId: 2 ** 53 }),
      (target) => target.group({ userId: "u1", companyId: 1.5 }),
      (target) => target.alias({ from: 1e21, to: "b" }),
      (target) => target.ingestRecords([{ type: "identify", userId: 2 ** 53 }, { type: "identify", userId: "u1", id: 2 ** 53 } as never, { type: "identify", userId: 9 }]),
      (target) => target.ingest([{ name: "a", id: "e1", userId: 2 ** 53 }, { name: "a", id: "e2", anonymous_id: -1.5 }, { name: "a", id: "e3", externalId: 2 ** 53 } as never, { name: "a", id: "e4", userId: 2 ** 53 - 1 }]),
      (target) => target.identify({} as never),
      (target) => target.identify(5 as never),
      (target) => target.group({ userId: "u1", other: 1 } as never),
      (target) => target.identify({ userId: "u1", createdAt: "yesterday" }),
      (target) => target.identify({ userId: "u1", createdAt: 1_740_823_200 }),
      (target) => target.identify({ id: "r4", userId: "u1", createdAt: "2027-01-01T00:00:00Z" }),
      (target) => target.identify({ id: "r4", userId: "u1", createdAt: "2027-01-01T00:00:00Z" }),
      (target) => target.createProject("shop"),
      (target) => target.createProject("shop"),
      (target) => target.unlink("nothing"),
      (target) => target.unlink("0195800a-0000-7000-8000-000000000009"),
      (target) => target.unlink("../stats"),
      (target) => target.ingestRecords([{ type: "project", name: "p" }, { type: "identify", id: "r9", userId: "u9" }, { type: "x" } as never, null as never, { type: "unlink", linkId: "r9" }]),
    ] satisfies ((target: Daybook | DaybookClient) => Promise<unknown>)[])
      await sameOn(act as (target: Daybook | DaybookClient) => Promise<unknown>);
  });

  it("has the id that it is known by", async () => {
    await client.ingest([{ name: "a", anonymousId: "phone", createdAt: NOW_MS }, { name: "b", userId: "ada", createdAt: NOW_MS }]);
    const { linkId } = await client.identify({ anonymousId: "phone", userId: "ada" });
    expect(await client.countUniqueUsers()).toBe(1);
    await client.unlink(linkId);
    await client.unlink(linkId);
    expect(await client.countUniqueUsers()).toBe(2);
  });

  it("is nothing that a project's token may take back", async () => {
    const { linkId } = await client.identify({ anonymousId: "phone", userId: "ada" });
    const shop = clientOver(daybook, "sk_shop_0123456789abcdefgh");
    for (const act of [shop.unlink(linkId), shop.createProject("site")]) expect(await outcome(act)).toMatchObject({ code: "organization_token_required" });
  });
});

describe("everything, through a client", () => {
  useServerLimits({ exportPageCount: 1_000 });

  it("comes out page by page as the library gives it, whatever the order", async () => {
    const many = Array.from({ length: SERVER_LIMITS.exportPageCount * 2 + 7 }, (_, at): EventInput => ({
      name: "a", userId: `u${at % 9}`, project: at % 2 === 0 ? "shop" : "site", createdAt: NOW_MS - 86_400_000 * (at % 3) - Math.floor(at / 2_000), value: at, metadata: { at },
    }));
    await daybook.ingest(many);
    const records = Array.from({ length: SERVER_LIMITS.exportPageCount + 3 }, (_, at): RecordInput => ({ type: "identify", id: `r${at}`, userId: `u${at}`, createdAt: NOW_MS - (at % 50) }));
    await daybook.ingestRecords([...records, { type: "unlink", linkId: "r1" }, { type: "unlink", linkId: "never" }, { type: "project", name: "zoo" }]);
    expect(await all(client.exportEvents())).toEqual(await all(daybook.exportEvents()));
    for (const input of [{ project: "shop" }, { startDate: "2026-03-09", endDate: new Date(NOW_MS - 86_400_000) }, { endDate: "2026-03-08" }, { project: "none" }])
      expect(await all(client.exportEvents(input))).toEqual(await all(daybook.exportEvents(input)));
    expect(await all(client.exportRecords())).toEqual(await all(daybook.exportRecords()));
    expect(await all(clientOver(daybook, "sk_shop_0123456789abcdefgh").exportEvents())).toEqual(await all(daybook.exportEvents({ project: "shop" })));
  });

  it("is refused as the library refuses it", async () => {
    for (const input of [{ startDate: "x" }, { other: 1 }, { startDate: "2026-03-02", endDate: "2026-03-01" }, 5])
      expect(await outcome(all(client.exportEvents(input as object)))).toEqual(await outcome(all(daybook.exportEvents(input as object))));
    expect(await outcome(all(clientOver(daybook, "sk_shop_0123456789abcdefgh").exportEvents({ project: "site" })))).toMatchObject({ code: "project_not_found" });
    expect(await outcome(all(clientOver(daybook, "sk_shop_0123456789abcdefgh").exportRecords()))).toMatchObject({ code: "organization_token_required" });
  });

  it("has its names and numbers", async () => {
    await daybook.ingest([{ name: "a", project: "shop" }, { name: "a", project: "site" }]);
    expect(await client.projects()).toEqual(["default", "shop", "site"]);
    expect(await clientOver(daybook, "sk_shop_0123456789abcdefgh").projects()).toEqual(["shop"]);
    expect(await client.stats()).toEqual(await daybook.stats());
    expect(await client.health()).toBe("ok");
    await daybook.close();
    expect(await client.health()).toBe("closed");
  });
});

describe("privacy requests through a client", () => {
  it("go their way as in the library", async () => {
    await client.ingest([{ name: "a", userId: "ada", createdAt: NOW_MS }]);
    const { privacyRequests } = client;
    const request = await privacyRequests.create({ type: "access", subject: { userId: "ada" }, regulation: "ccpa" });
    expect(request).toEqual(await daybook.privacyRequests.get(request.id));
    expect(await privacyRequests.verify(request.id)).toMatchObject({ status: "submitted" });
    expect(await privacyRequests.acknowledge(request.id)).toMatchObject({ status: "acknowledged" });
    expect(await privacyRequests.extend(request.id)).toEqual(await daybook.privacyRequests.get(request.id));
    expect(await all(privacyRequests.bundle(request.id))).toEqual(await all(daybook.privacyRequests.bundle(request.id)));
    expect(await privacyRequests.resolve(request.id, "completed")).toMatchObject({ status: "resolved", resolution: "completed" });
    expect(await privacyRequests.get(request.id)).toEqual(await daybook.privacyRequests.get(request.id));
    expect(await privacyRequests.list()).toEqual(await daybook.privacyRequests.list());
  });

  it("are refused as in the library", async () => {
    const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { email: "a@b.c" } });
    const acts: ((target: Pick<Daybook, "privacyRequests">) => Promise<unknown>)[] = [
      ({ privacyRequests }) => privacyRequests.create({ type: "access", subject: { userId: "a", email: "b" } }),
      ({ privacyRequests }) => privacyRequests.create({ type: "access", subject: { userId: "a" }, project: "none" } as never),
      ({ privacyRequests }) => privacyRequests.acknowledge(id),
      ({ privacyRequests }) => all(privacyRequests.bundle(id)),
      ...["none", "", "..", "a/b"].map((other) => ({ privacyRequests }: Pick<Daybook, "privacyRequests">) => privacyRequests.get(other)),
    ];
    for (const act of acts) expect(await outcome(act(client))).toEqual(await outcome(act(daybook)));
  });
});
