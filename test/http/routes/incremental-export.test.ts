import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixedClock, memoryStorage, openDaybook, type Daybook, type ExportedEvent, type ExportInput } from "../../../src/index.js";
import type { DaybookClient } from "../../../src/client/index.js";
import type { Handler } from "../../../src/http/index.js";
import { clientOver } from "../../client/kit.js";
import { useServerLimits } from "../../limits.js";
import { codeOf, handlerOf, NOW_MS, send, stubDaybook } from "../kit.js";

const PAGE = 3;
useServerLimits({ exportPageCount: PAGE });

let daybook: Daybook;
let handler: Handler;
let client: DaybookClient;
beforeAll(async () => {
  daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
  handler = handlerOf(daybook);
  client = clientOver(daybook);
  // Later ones happened earlier.
  await daybook.ingest(Array.from({ length: 10 }, (_, at) => ({ name: `e${at + 1}`, userId: "ann", project: at % 2 === 0 ? "shop" : "site", createdAt: NOW_MS - at * 60_000, browser: "Firefox" })));
  await daybook.identify({ userId: "ann", traits: { plan: "pro" } });
});
afterAll(() => daybook.close());

const page = (body: object, token?: string) => send(handler, "/v1/exports/events", { body, ...(token === undefined ? {} : { token }) });
const namesIn = (text: string) => [...text.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name);

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe("an export after a sequence over HTTP", () => {
  it("says in a header up to where it reads, and its lines have sequences", async () => {
    const { text, headers } = await page({ afterSequence: 7 });
    expect(text.split("\n").slice(0, -1).map((line) => JSON.parse(line) as ExportedEvent).map(({ name, sequence }) => [name, sequence])).toEqual([["e10", 10], ["e9", 9], ["e8", 8]]);
    expect(headers.get("daybook-sequence")).toBe("11");
    expect(new Set(text.split("\n").slice(0, -1).map((line) => (JSON.parse(line) as ExportedEvent).receivedAt))).toEqual(new Set([new Date(NOW_MS).toISOString()]));
    expect((await page({})).headers.get("daybook-sequence")).toBeNull();
  });

  it("goes on page by page up to the sequence of the first one, though more is stored meanwhile", async () => {
    const own = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
    const event = (name: string, minute: number) => ({ name, createdAt: NOW_MS + minute * 60_000 - 3_600_000 });
    await own.ingest([event("a", 1), event("b", 2), event("c", 3), event("d", 4), event("e", 5)]);
    const names: string[] = [];
    for await (const { name } of clientOver(own).exportEvents({ afterSequence: 0 })) {
      names.push(String(name));
      // One before what was read, one behind.
      if (names.length === 1) await own.ingest([event("early", 0), event("late", 4.5)]);
    }
    expect(names).toEqual(["a", "b", "c", "d", "e"]);
    expect((await all(clientOver(own).exportEvents({ afterSequence: 5 }))).map(({ name }) => name)).toEqual(["early", "late"]);
    await own.close();
  });

  it("refuses a page behind another one without the sequence of the first", async () => {
    const after = { createdAt: "2026-03-01T00:00:00Z", id: "0195800a-0000-7000-8000-000000000003", project: "shop" };
    expect((await page({ afterSequence: 0, after })).json).toMatchObject({ code: "invalid_parameter", param: "upToSequence" });
    expect((await page({ afterSequence: 0, upToSequence: 10, after })).status).toBe(200);
  });

  it.each<[string, ExportInput]>([
    ["a sequence", { afterSequence: 4 }],
    ["two sequences", { afterSequence: 4, upToSequence: 8 }],
    ["a name", { eventName: "e3" }],
    ["filters", { filterGroups: [{ filters: [{ fieldName: "name", operator: "in", value: ["e1", "e4", "e5", "e8"] }] }], afterSequence: 2 }],
    ["traits", { filterGroups: [{ filters: [{ fieldName: "person.plan", operator: "=", value: "pro" }] }] }],
    ["a sequence that is not reached", { afterSequence: 99 }],
    ["an unknown operator", { filterGroups: [{ filters: [{ fieldName: "name", operator: "like", value: "e" } as never] }] }],
  ])("by the client is that of the library, with %s", async (_, input) => {
    const outcome = (items: AsyncIterable<unknown>) => all(items).catch((error: { code: string; details: { param: string } }) => [error.code, error.details.param]);
    const answer = await outcome(daybook.exportEvents(input));
    expect(await outcome(client.exportEvents(input))).toEqual(answer);
    expect(answer).not.toEqual([]);
  });

  it("is refused to a token of one project: sequences count what others store", async () => {
    for (const body of [{ afterSequence: 0 }, { upToSequence: 3 }]) {
      const sent = await page(body, "sk_shop_0123456789abcdefgh");
      expect([sent.status, codeOf(sent)]).toEqual([403, "organization_token_required"]);
      expect(sent.headers.get("daybook-sequence")).toBeNull();
    }
    expect(codeOf(await send(handler, "/v1/exports/deletions", { body: { afterSequence: 0 }, token: "sk_shop_0123456789abcdefgh" }))).toBe("organization_token_required");
    expect(namesIn((await page({ eventName: "e3" }, "sk_shop_0123456789abcdefgh")).text)).toEqual(["e3"]);
    expect(namesIn((await page({ eventName: "e4" }, "sk_shop_0123456789abcdefgh")).text)).toEqual([]);
  });

  it("filters only by what its token may read", async () => {
    const body = (fieldName: string) => ({ filterGroups: [{ filters: [{ fieldName, operator: "is_set" }] }] });
    const scoped = "sk_search_0123456789abcdefgh";
    expect((await page(body("browser"), scoped)).status).toBe(200);
    expect(codeOf(await page(body("person.plan"), scoped))).toBe("insufficient_scope");
    expect(codeOf(await page(body("company.plan"), scoped))).toBe("insufficient_scope");
    // A wrapper that checks no rights answers nothing.
    const careless = handlerOf(stubDaybook());
    expect(codeOf(await send(careless, "/v1/exports/events", { body: body("browser"), token: scoped }))).toBe("internal");
  });
});

it("The client reports the sequence that an export reaches, once.", async () => {
  const own = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
  await own.ingest([{ name: "a", userId: "ann" }, { name: "b", userId: "bob" }]);
  await own.erase({ userId: "ann" });
  const reached: number[] = [];
  const onSequence = (sequence: number) => void reached.push(sequence);
  expect(await all(clientOver(own).exportEvents({ afterSequence: 0 }, { onSequence }))).toHaveLength(1);
  await all(clientOver(own).exportEvents({}, { onSequence }));
  expect(reached).toEqual([3]);
  await own.close();
});

describe("an export of deletions over HTTP", () => {
  it("is that of the library", async () => {
    const own = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
    await own.ingest([{ name: "a", userId: "ann" }, { name: "b", userId: "bob", createdAt: NOW_MS - 5 }, { name: "c", userId: "ann" }]);
    await own.erase({ userId: "ann" });
    await own.deleteEvents({ before: new Date(NOW_MS - 4) });
    const told = await all(own.exportDeletions({ afterSequence: 3 }));
    expect(told).toHaveLength(3);
    expect(await all(clientOver(own).exportDeletions({ afterSequence: 3 }))).toEqual(told);
    await expect(all(clientOver(own).exportDeletions({ afterSequence: 6 }))).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "afterSequence" } });
    expect(codeOf(await send(handlerOf(own), "/v1/exports/deletions", { body: {} }))).toBe("invalid_parameter");
    expect(codeOf(await send(handlerOf(own), "/v1/exports/deletions", { body: { afterSequence: 3, project: "a" } }))).toBe("unknown_parameter");
    await own.close();
  });

  it("is not supported by a Daybook that has none", async () => {
    const { exportDeletions: _, ...without } = stubDaybook();
    expect(codeOf(await send(handlerOf(without), "/v1/exports/deletions", { body: { afterSequence: 0 } }))).toBe("not_supported");
  });
});
