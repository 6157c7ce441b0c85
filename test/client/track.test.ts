import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { connectDaybook } from "../../src/client/index.js";
import type { DaybookClient } from "../../src/client/index.js";
import { fixedClock, memoryStorage, openDaybook } from "../../src/index.js";
import type { Daybook, EventInput, Storage, TrackQueueOptions } from "../../src/index.js";
import { StoredDaybook } from "../../src/clickhouse/stored-daybook.js";
import { pooledRandom } from "../../src/core/base/uuid.js";
import { NOW_MS } from "../http/kit.js";
import { clientOn, clientOver, handlerOver, URL_TEXT, VirtualMachine, waitForCompression } from "./kit.js";

const TOKEN = "sk_owner_0123456789abcdefgh";
const open = (options: object = {}) => openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS), ...options });

interface Place {
  readonly daybook: Daybook | DaybookClient | StoredDaybook;
  /** The store that its events go to, and where that is. */
  readonly store: Daybook;
  readonly storage: Storage;
}

/** The same program over each Daybook there is. */
const places: readonly (readonly [string, (options: { track?: TrackQueueOptions; onRejected?: "throw" }) => Promise<Place>])[] = [
  ["a Daybook", async (options) => {
    const storage = memoryStorage();
    const daybook = await open({ storage, ...options });
    return { daybook, store: daybook, storage };
  }],
  ["a client", async (options) => {
    const storage = memoryStorage();
    const store = await open({ storage });
    return { daybook: connectDaybook({ url: URL_TEXT, token: TOKEN, fetch: handlerOver(store), ...options }), store, storage };
  }],
  // Its own methods, over a store of this process instead of a server.
  ["a Daybook on ClickHouse", async ({ track, onRejected }) => {
    const storage = memoryStorage();
    const store = await open({ storage });
    const writes = { ingest: (events: readonly EventInput[], project: string | null) => store.ingest(events, project === null ? {} : { project }) };
    const parts = { connection: { close: () => Promise.resolve() }, writes, upkeep: { privacyRequests: store.privacyRequests }, clock: fixedClock(NOW_MS), random: pooledRandom() };
    return { daybook: new StoredDaybook({ ...parts, track, throwsRejected: onRejected === "throw" } as never), store, storage };
  }],
];

describe.each(places)("%s", (_, make) => {
  it("stores tracked events in their projects, those without a time as of the call", async () => {
    const { daybook, store } = await make({});
    for (const name of ["a", "b"]) daybook.track({ name });
    daybook.track({ name: "c", createdAt: "2026-01-01T00:00:00Z" }, { project: "shop" });
    daybook.track({ name: "d", project: "site" });
    await daybook.flush();
    const { events } = await store.searchEvents();
    expect(events.map(({ name, project, createdAt }) => [name, project, createdAt]).sort()).toEqual([
      ["a", "default", new Date(NOW_MS).toISOString()], ["b", "default", new Date(NOW_MS).toISOString()],
      ["c", "shop", "2026-01-01T00:00:00.000Z"], ["d", "site", new Date(NOW_MS).toISOString()],
    ]);
    await store.close();
  });

  it("takes an event as it is at the call, also before the queue is loaded", async () => {
    const { daybook, store } = await make({});
    const event = { name: "a" };
    daybook.track(event);
    event.name = "b";
    daybook.track(event);
    await daybook.flush();
    expect(await store.aggregate({ field: "name" })).toEqual([{ property: "a", count: 1 }, { property: "b", count: 1 }]);
    await store.close();
  });

  it("passes wrong events to onError, with their ids, and stores the others", async () => {
    const faults: [string, readonly EventInput[]][] = [];
    const { daybook, store } = await make({ track: { onError: ({ message }, events) => faults.push([message, events]) } });
    for (const event of [{ name: "a" }, { name: "" }, null, { name: "b", colour: "red" }]) daybook.track(event as EventInput);
    await daybook.flush();
    expect(await store.countEvents()).toBe(1);
    expect(faults).toEqual([["events[0].name (and 2 more): expected 1 to 200 characters, got \"\"", [{ name: "", id: expect.any(String) as string, createdAt: expect.any(String) as string }, null, expect.objectContaining({ colour: "red" })]]]);
    await store.close();
  });

  it("bounds what waits, from the first turn on", async () => {
    const faults: string[] = [];
    const { daybook, store } = await make({ track: { queuedEventCount: 10, onError: ({ code }, events) => faults.push(`${code} ${events.length}`) } });
    for (let at = 0; at < 12; at += 1) daybook.track({ name: "a" });
    await daybook.flush();
    expect([await store.countEvents(), faults]).toEqual([10, ["overloaded 1", "overloaded 1"]]);
    await store.close();
  });

  it("stores what waits when it closes, and takes nothing afterwards", async () => {
    const { daybook, store, storage } = await make({});
    daybook.track({ name: "a" });
    const closing = daybook.close();
    for (const call of [() => daybook.track({ name: "b" }), () => daybook.track(null as never)]) expect(call).toThrow(expect.objectContaining({ code: "closed" }));
    await closing;
    await expect(daybook.flush()).rejects.toMatchObject({ code: "closed" });
    expect(await daybook.close()).toBeUndefined();
    await store.close();
    const reopened = await open({ storage });
    expect(await reopened.countEvents()).toBe(1);
    await reopened.close();
  });

  it("throws for options that are wrong, and takes null for none", async () => {
    const { daybook, store } = await make({});
    for (const options of [{ projects: "a" }, { project: "" }, { project: 5 }, { onRejected: "throw" }, "shop"])
      expect(() => daybook.track({ name: "a" }, options as never)).toThrow(expect.objectContaining({ code: expect.stringMatching(/^(unknown|invalid)_parameter$/) as string }));
    daybook.track({ name: "a" }, null as never);
    await daybook.flush();
    expect(await store.countEvents()).toBe(1);
    await store.close();
  });

  it("lists rejected events, or throws them after the others are stored, by option and by call", async () => {
    const batch = (id: string) => [{ name: "a", id: `${id}1` }, { name: "b", id: `${id}2`, colour: 1 }, { name: "" }, { name: "c", id: `${id}3` }] as EventInput[];
    const known = '"colour": not a member of an event; known: id, createdAt, metadata, name, slug, userId, anonymousId, project, locationCountry, locationCity, '
      + "locationRegion, locationLon, locationLat, device, os, browser, screen, language, referrer, url, hostname, notify, value, currency, externalId, companyId";
    const { daybook, store } = await make({});
    const listed = await daybook.ingest(batch("l"));
    expect(listed).toMatchObject({ accepted: 2, rejected: [{ index: 1, code: "invalid_event", message: known }, { index: 2 }] });
    const error = { code: "invalid_event", message: `events[1] (and 1 more): ${known}`, details: { param: "events[1]", accepted: 2, duplicates: 0, rejected: listed.rejected, adjusted: [] } };
    await expect(daybook.ingest(batch("t"), { onRejected: "throw" })).rejects.toMatchObject(error);
    expect(await store.countEvents()).toBe(4);
    await expect(daybook.ingest([{ name: "a", userId: {} as never }], { onRejected: "throw" })).rejects.toMatchObject({ message: "events[0].userId: expected text or a number, got {}", details: { param: "events[0].userId" } });
    for (const onRejected of ["ignore", null]) await expect(daybook.ingest([], { onRejected: onRejected as never })).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "onRejected" } });
    await store.close();
    const strict = await make({ onRejected: "throw" });
    await expect(strict.daybook.ingest(batch("s"))).rejects.toMatchObject(error);
    expect(await strict.daybook.ingest(batch("s"), { onRejected: "list" })).toMatchObject({ duplicates: 2, rejected: [{ index: 1 }, { index: 2 }] });
    // Over HTTP they are listed in any case: one request has events of many.
    expect(await clientOver(strict.store).ingest(batch("h"))).toMatchObject({ accepted: 2, rejected: [{ index: 1 }, { index: 2 }] });
    await strict.store.close();
  });

  it("rejects a flush without onError, and stores the events beside the wrong one", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { daybook, store } = await make({ onRejected: "throw" });
    for (const name of ["", "z"]) daybook.track({ name });
    await expect(daybook.flush()).rejects.toMatchObject({ code: "invalid_event" });
    await daybook.flush();
    expect([await store.countEvents(), warn.mock.calls.length]).toEqual([1, 1]);
    daybook.track({ name: "" });
    await expect(daybook.close()).rejects.toMatchObject({ code: "invalid_event" });
    warn.mockRestore();
    await store.close().catch(() => undefined);
  });

  it("erases a person by one call, in all projects", async () => {
    const { daybook, store } = await make({});
    await daybook.ingest([{ name: "a", userId: "ada", project: "shop" }, { name: "b", anonymousId: "phone" }, { name: "c", userId: "bob" }]);
    await store.identify({ userId: "ada", anonymousId: "phone", email: "ada@example.com" });
    expect(await daybook.erase({ email: "ADA@example.com" })).toMatchObject({ events: 2, identifyCalls: 1, userIds: 1, anonymousIds: 1, emails: 1 });
    expect(await store.countEvents()).toBe(1);
    expect(await daybook.privacyRequests.list()).toMatchObject([{ type: "erasure", status: "resolved", resolution: "completed", subject: { erased: true }, regulation: "gdpr" }]);
    // Nobody has the id: it is erased from now on.
    expect(await daybook.erase({ userId: "eve" })).toMatchObject({ events: 0, userIds: 0 });
    expect(await daybook.ingest([{ name: "a", userId: "eve", createdAt: NOW_MS - 1 }])).toMatchObject({ rejected: [{ code: "suppressed" }] });
    for (const [subject, code, param] of [[{}, "exactly_one_required", "subject"], [{ userId: "a", email: "b" }, "exactly_one_required", "subject"], [{ userId: "a", project: "shop" }, "unknown_parameter", "subject.project"], [undefined, "invalid_parameter", "subject"]] as const)
      await expect(daybook.erase(subject as never)).rejects.toMatchObject({ code, details: { param } });
    await store.close();
  });

  it("refuses a project of a privacy request, and says why", async () => {
    const { daybook, store } = await make({});
    const create = daybook.privacyRequests.create({ type: "erasure", subject: { userId: "ada" }, project: "shop" } as never);
    await expect(create).rejects.toMatchObject({ code: "unknown_parameter", message: "project: unknown, as an erasure is of a person, in all projects", details: { param: "project" } });
    expect(await daybook.privacyRequests.create({ type: "erasure", subject: { userId: "ada" }, project: null } as never)).toMatchObject({ project: null });
    await store.close();
  });
});

beforeAll(() => waitForCompression());

describe("a client whose server is away", () => {
  it("keeps its events and stores them once when it is back, though answers are lost after the commit", async () => {
    const store = await open();
    const handler = handlerOver(store);
    let requests = 0;
    const environment = new VirtualMachine();
    const client = clientOn(environment, {
      fetch: async (request) => {
        requests += 1;
        // Away for ten requests; then every second answer is lost.
        if (requests <= 10) throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") });
        const response = await handler(request);
        if (requests % 2 === 1) throw new TypeError("fetch failed", { cause: new Error("other side closed") });
        return response;
      },
    });
    for (let at = 0; at < 1_200; at += 1) client.track({ name: "a" });
    await client.flush();
    expect(await store.countEvents()).toBe(1_200);
    await client.close();
    await store.close();
  });

  it("gzips a long batch, and resends the same bytes", async () => {
    const store = await open();
    const handler = handlerOver(store);
    const sent: { encoding: string | null; bytes: Uint8Array }[] = [];
    const client = clientOn(new VirtualMachine(), {
      fetch: async (request) => {
        sent.push({ encoding: request.headers.get("content-encoding"), bytes: new Uint8Array(await request.clone().arrayBuffer()) });
        return sent.length === 1 ? new Response("", { status: 503 }) : await handler(request);
      },
    });
    for (let at = 0; at < 100; at += 1) client.track({ name: "view", url: `https://a.example/${at}` });
    await client.flush();
    const [first, second] = sent;
    expect([sent.length, first?.encoding, second]).toEqual([2, "gzip", first]);
    const events = JSON.parse(gunzipSync(first?.bytes ?? new Uint8Array()).toString()) as { url: string }[];
    expect(events.map(({ url }) => url)).toEqual(Array.from({ length: 100 }, (_, at) => `https://a.example/${at}`));
    client.track({ name: "short" });
    await client.flush();
    expect([sent[2]?.encoding, new TextDecoder().decode(sent[2]?.bytes)]).toEqual([null, expect.stringContaining('"short"')]);
    expect(await store.countEvents()).toBe(101);
    // Only batches of `track`: a caller waits for `ingest`.
    await client.ingest(Array.from({ length: 100 }, () => ({ name: "view" })));
    expect(sent[3]?.encoding).toBe(null);
    await client.close();
    await store.close();
  });

  it("sends plain text where the runtime cannot compress", async () => {
    vi.stubGlobal("CompressionStream", undefined);
    onTestFinished(() => void vi.unstubAllGlobals());
    const store = await open();
    const handler = handlerOver(store);
    const encodings: (string | null)[] = [];
    const client = connectDaybook({
      url: URL_TEXT,
      token: TOKEN,
      fetch: (request) => {
        encodings.push(request.headers.get("content-encoding"));
        return handler(request);
      },
    });
    for (let at = 0; at < 100; at += 1) client.track({ name: "view" });
    await client.close();
    expect([encodings, await store.countEvents()]).toEqual([[null], 100]);
    await store.close();
  });

  it("sends each batch by one request at a time, and obeys Retry-After", async () => {
    const store = await open();
    const handler = handlerOver(store);
    const times: number[] = [];
    const environment = new VirtualMachine();
    const fetch = (request: Request) => {
      times.push(environment.nowMs() - NOW_MS);
      return times.length === 1 ? Promise.resolve(new Response("", { status: 503, headers: { "retry-after": "30" } })) : handler(request);
    };
    const client = clientOn(environment, { fetch });
    for (let at = 0; at < 600; at += 1) client.track({ name: "a" });
    await client.flush();
    expect([times, await store.countEvents()]).toEqual([[0, 30_000, 30_000], 600]);
    await store.close();
  });

  it("closes in the time after which it gives up, and says so", async () => {
    const environment = new VirtualMachine();
    const faults: string[] = [];
    const onError = ({ code, message }: Error & { code: string }, events: readonly EventInput[]) => faults.push(`${code} ${message} ${events.length}`);
    const client = clientOn(environment, { fetch: () => Promise.reject(new TypeError("fetch failed")), retry: { attempts: 100 }, track: { giveUpAfterMs: 5_000, onError } });
    for (let at = 0; at < 700; at += 1) client.track({ name: "a" });
    await client.close();
    const message = "unreachable given up after 5000 ms: POST http://daybook.test/v1/events: fetch failed";
    expect(faults).toEqual([`${message} 500`, `${message} 200`]);
    expect(environment.nowMs() - NOW_MS).toBeLessThanOrEqual(5_000);
  });

  it("reports a token that is refused at once", async () => {
    const store = await open();
    const faults: string[] = [];
    const client = connectDaybook({ url: URL_TEXT, token: "sk_nobody_0123456789abcdefgh", fetch: handlerOver(store), track: { onError: ({ code }) => faults.push(code) } });
    client.track({ name: "a" });
    await client.close();
    expect(faults).toEqual(["invalid_token"]);
    await store.close();
  });
});
