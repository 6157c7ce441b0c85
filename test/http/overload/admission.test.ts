import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fixedClock } from "../../../src/core/base/time.js";
import { DaybookError } from "../../../src/core/base/errors.js";
import type { QueryOptions } from "../../../src/query/queries.js";
import type { Handler, WireReply } from "../../../src/http/index.js";
import { networkOf } from "../../../src/http/access/client-address.js";
import { codeOf, get, handlerOf, NOW_MS, send, stubDaybook } from "../kit.js";

const COUNT = "/analytics/count-events";

/** A request as a transport hands it over, with an account of what was read of its body. */
function wire(options: { target?: string; method?: string; token?: string; address?: string; chunks?: readonly Uint8Array[]; headers?: Record<string, string> }) {
  const headers: Record<string, string> = { authorization: `Bearer ${options.token ?? "sk_owner_0123456789abcdefgh"}`, ...options.headers };
  const seen = { byteLength: 0 };
  const request = {
    method: options.method ?? "POST",
    target: options.target ?? COUNT,
    signal: new AbortController().signal,
    address: options.address,
    header: (name: string) => headers[name] ?? null,
    readBody: async (_: number, onBytes: (byteLength: number) => void = () => undefined) => {
      const chunks = options.chunks ?? [];
      for (const chunk of chunks) {
        seen.byteLength += chunk.length;
        onBytes(chunk.length);
      }
      return new Uint8Array(Buffer.concat(chunks));
    },
  };
  return { request, seen };
}

const codeIn = ({ body }: WireReply) => (JSON.parse(String(body)) as { code?: string; error?: { code: string } }).error?.code ?? (JSON.parse(String(body)) as { code?: string }).code;

/** A query that ends when told to. */
function slowDaybook() {
  const finish: (() => void)[] = [];
  const daybook = stubDaybook({ countEvents: () => new Promise((resolve) => finish.push(() => resolve(1))) });
  return { daybook, finish };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("while the event loop is late", () => {
  it("everything is refused with 503 and Retry-After before token and body are read, health excepted", async () => {
    let lagMs = 50;
    const daybook = stubDaybook();
    const handler = handlerOf(daybook, { lagMs: () => lagMs });
    expect((await send(handler, COUNT)).status).toBe(200);
    lagMs = 50.1;
    const { request, seen } = wire({ token: "sk_unknown_0123456789abcdefgh", chunks: [new Uint8Array(10)] });
    const refused = await handler.answer(request);
    expect([refused.status, refused.headers["retry-after"], codeIn(refused), seen.byteLength]).toEqual([503, "1", "overloaded", 0]);
    expect((await get(handler, "/openapi.json")).status).toBe(503);
    expect((await get(handler, "/healthz", { token: null })).status).toBe(200);
    expect((await get(handler, "/nowhere")).status).toBe(404);
    lagMs = 0;
    expect((await send(handler, COUNT)).status).toBe(200);
    expect(daybook.asked).toHaveLength(2);
  });
});

describe("requests of one token", () => {
  it("are refused with 429 and Retry-After when too many are under way, those of another token not", async () => {
    const { daybook, finish } = slowDaybook();
    const handler = handlerOf(daybook, { limits: { requestsPerTokenCount: 2 } });
    const slow = [send(handler, COUNT), send(handler, COUNT)];
    await turn();
    const { request, seen } = wire({ chunks: [new Uint8Array(10)] });
    const refused = await handler.answer(request);
    expect([refused.status, refused.headers["retry-after"], codeIn(refused), seen.byteLength]).toEqual([429, "1", "rate_limited", 0]);
    expect((await send(handler, COUNT, { token: "sk_other_0123456789abcdefgh" })).status).toBe(200);
    for (const end of finish) end();
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it("make room when they end, also with an error", async () => {
    const daybook = stubDaybook({ countEvents: () => Promise.reject(new DaybookError("closed", "closed")) });
    const handler = handlerOf(daybook, { limits: { requestsPerTokenCount: 1 } });
    for (let at = 0; at < 3; at += 1) expect(codeOf(await send(handler, COUNT))).toBe("closed");
    for (let at = 0; at < 3; at += 1) expect(codeOf(await send(handler, COUNT, { body: "{" }))).toBe("malformed_json");
    expect((await send(handler, "/analytics/count-unique-users")).status).toBe(200);
  });
});

describe("short writes", () => {
  const KIB = 1024;
  const write = (byteLength: number | null, at: object = {}) => wire({ target: "/v1/track", headers: byteLength === null ? {} : { "content-length": String(byteLength) }, ...at }).request;
  const body = [new TextEncoder().encode('{"event":"a"}')];

  /** Events are stored when told to. */
  function slowWriter() {
    const finish: (() => void)[] = [];
    const daybook = stubDaybook({ ingest: () => new Promise((resolve) => finish.push(() => resolve({ accepted: 1, duplicates: 0, rejected: [], adjusted: [] }))) });
    return { daybook, finish };
  }

  it("wait for the turn of their token, in order, where queries and long writes are refused", async () => {
    const { daybook, finish } = slowWriter();
    const handler = handlerOf(daybook, { limits: { requestsPerTokenCount: 1 } });
    const answers = [1, 2, 3].map(() => handler.answer(write(13, { chunks: body })));
    await turn();
    expect(codeIn(await handler.answer(wire({}).request))).toBe("rate_limited");
    expect(codeIn(await handler.answer(write(64 * KIB + 1)))).toBe("rate_limited");
    for (const answer of answers) {
      await vi.waitFor(() => expect(finish).toHaveLength(1));
      finish.pop()?.();
      expect((await answer).status).toBe(200);
    }
  });

  it("of a client whose key is in its body wait too", async () => {
    const { daybook, finish } = slowWriter();
    const handler = handlerOf(daybook, { limits: { requestsPerTokenCount: 1 } });
    const text = JSON.stringify({ type: "event", payload: { website: "sk_owner_0123456789abcdefgh", name: "a" } });
    const answers = [1, 2].map(() => handler.answer(wire({ target: "/api/send", chunks: [new TextEncoder().encode(text)], headers: { "content-length": "70" } }).request));
    for (const answer of answers) {
      await vi.waitFor(() => expect(finish).toHaveLength(1));
      finish.pop()?.();
      expect((await answer).status).toBe(200);
    }
  });

  it.each([
    ["a thousand", 1_000, 1],
    ["two MiB", 32, 64 * KIB],
    ["as many as 64 KiB each, where they do not say how long they are", 32, null],
  ])("wait up to %s, and one more is refused with Retry-After", async (_, count, byteLength) => {
    const { daybook, finish } = slowWriter();
    const handler = handlerOf(daybook, { limits: { requestsPerTokenCount: 1 } });
    const answers = Array.from({ length: count + 1 }, () => handler.answer(write(byteLength, { chunks: body })));
    await turn();
    const refused = await handler.answer(write(byteLength, { chunks: body }));
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "1"]);
    const ending = setInterval(() => finish.pop()?.(), 0);
    expect((await Promise.all(answers)).every(({ status }) => status === 200)).toBe(true);
    clearInterval(ending);
  });

  it("wait 25 seconds at most", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { daybook, finish } = slowWriter();
    const handler = handlerOf(daybook, { limits: { requestsPerTokenCount: 1 } });
    const [first, second] = [handler.answer(write(13, { chunks: body })), handler.answer(write(13, { chunks: body }))];
    await turn();
    vi.advanceTimersByTime(24_999);
    const third = handler.answer(write(13, { chunks: body }));
    await turn();
    vi.advanceTimersByTime(1);
    expect((await second).status).toBe(429);
    finish.pop()?.();
    await first;
    await turn();
    finish.pop()?.();
    expect((await third).status).toBe(200);
  });

  it("wait until the event loop is no longer late, some of them at a time, where all else is refused at once", async () => {
    let lagMs = 60;
    const daybook = stubDaybook();
    const handler = handlerOf(daybook, { lagMs: () => lagMs });
    const answers = Array.from({ length: 40 }, () => handler.answer(write(13, { chunks: body })));
    expect([await handler.answer(wire({}).request), await handler.answer(write(64 * KIB + 1))].map(codeIn)).toEqual(["overloaded", "overloaded"]);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(daybook.asked).toEqual([]);
    lagMs = 50;
    await vi.waitFor(() => expect(daybook.asked.length).toBeGreaterThan(0), { interval: 1 });
    lagMs = 60;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(daybook.asked).toHaveLength(32);
    lagMs = 50;
    expect((await Promise.all(answers)).every(({ status }) => status === 200)).toBe(true);
  });

  it("are refused with Retry-After where it stays late, or very many wait", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const handler = handlerOf(stubDaybook(), { lagMs: () => 60 });
    const answers = Array.from({ length: 1_000 }, () => handler.answer(write(13, { chunks: body })));
    expect(codeIn(await handler.answer(write(13)))).toBe("overloaded");
    await vi.advanceTimersByTimeAsync(25_010);
    const refused = await Promise.all(answers);
    expect(new Set(refused.map(({ status, headers }) => `${status} ${headers["retry-after"]}`))).toEqual(new Set(["503 1"]));
  });
});

describe("bodies in memory", () => {
  const MIB = 1024 * 1024;
  const json = (byteLength: number) => new TextEncoder().encode(`{}${" ".repeat(byteLength - 2)}`);
  const limits = { heldBodyBytes: MIB };

  it("over the bound are refused by the length they declare, unread", async () => {
    const { daybook, finish } = slowDaybook();
    const handler = handlerOf(daybook, { limits });
    const first = handler.answer(wire({ chunks: [json(MIB / 2 + 1)] }).request);
    await turn();
    const { request, seen } = wire({ chunks: [json(MIB / 2)], headers: { "content-length": String(MIB / 2) } });
    const refused = await handler.answer(request);
    expect([refused.status, refused.headers["retry-after"], codeIn(refused), seen.byteLength]).toEqual([503, "1", "overloaded", 0]);
    finish.pop()?.();
    expect((await first).status).toBe(200);
    const again = handler.answer(wire({ chunks: [json(MIB / 2)], headers: { "content-length": String(MIB / 2) } }).request);
    await turn();
    finish.pop()?.();
    expect((await again).status).toBe(200);
  });

  it("over the bound are refused while they come where they declare nothing, or unfold", async () => {
    const { daybook, finish } = slowDaybook();
    const handler = handlerOf(daybook, { limits });
    const first = handler.answer(wire({ chunks: [json(MIB / 2)] }).request);
    await turn();
    const { request, seen } = wire({ chunks: Array.from({ length: 10 }, () => new Uint8Array(MIB / 8)) });
    expect(codeIn(await handler.answer(request))).toBe("overloaded");
    expect(seen.byteLength).toBe((MIB / 8) * 5);
    const packed = wire({ chunks: [gzipSync(json(MIB - 10))], headers: { "content-encoding": "gzip" } });
    expect(codeIn(await handler.answer(packed.request))).toBe("overloaded");
    finish.pop()?.();
    await first;
    // Nothing of what was refused still counts.
    const alone = handler.answer(wire({ chunks: [json(MIB)] }).request);
    await turn();
    finish.pop()?.();
    expect((await alone).status).toBe(200);
  });

  it("larger than the bound are taken from a caller who is alone", async () => {
    const handler = handlerOf(stubDaybook(), { limits: { heldBodyBytes: 10 } });
    expect((await handler.answer(wire({ chunks: [json(1_000)] }).request)).status).toBe(200);
  });
});

describe("a query's time", () => {
  const untilStopped = async (_: unknown, options?: QueryOptions): Promise<number> => {
    while (options?.signal?.aborted === false) await turn();
    throw new DaybookError("aborted", "stopped");
  };

  it("ends with query_timeout", async () => {
    const handler = handlerOf(stubDaybook({ countEvents: untilStopped }), { limits: { queryMs: 20 } });
    const sent = await send(handler, COUNT);
    expect([sent.status, codeOf(sent)]).toEqual([503, "query_timeout"]);
  });

  it("ends before when the caller leaves", async () => {
    const handler = handlerOf(stubDaybook({ countEvents: untilStopped }));
    const caller = new AbortController();
    const answer = handler.answer({ ...wire({}).request, signal: caller.signal });
    await turn();
    caller.abort();
    const { status, body } = await answer;
    expect([status, String(body).includes('"aborted"')]).toEqual([408, true]);
  });

  it("is over at once when the caller has left already", async () => {
    const daybook = stubDaybook({ countEvents: async (_, options) => (options?.signal?.aborted === true ? 1 : 0) });
    const { body } = await handlerOf(daybook).answer({ ...wire({}).request, signal: AbortSignal.abort() });
    expect(body).toBe('{"status":"OK","data":1}');
  });

  it("does not bound the storing of events, which must tell whether they are stored", async () => {
    let finish = (): void => undefined;
    const daybook = stubDaybook({ ingest: () => new Promise((resolve) => (finish = () => resolve({ accepted: 1, duplicates: 0, rejected: [], adjusted: [] }))) });
    const handler = handlerOf(daybook, { limits: { queryMs: 1 } });
    const storing = send(handler, "/v1/events", { body: [{ name: "a" }] });
    await new Promise((resolve) => setTimeout(resolve, 30));
    finish();
    expect((await storing).json).toMatchObject({ accepted: 1 });
  });
});

describe("tokens that open nothing", () => {
  const limits = { failedTokenCount: 3, failedTokensPerMinute: 6 };
  const statusFor = async (handler: Handler, token: string, address?: string) =>
    (await handler.answer(wire({ token, ...(address === undefined ? {} : { address }) }).request)).status;

  it("may be tried so many times from an address, then once for each share of a minute", async () => {
    const clock = fixedClock(NOW_MS);
    const handler = handlerOf(stubDaybook(), { limits, clock });
    for (const expected of [401, 401, 401, 429]) expect(await statusFor(handler, `sk_${expected}`, "10.0.0.1")).toBe(expected);
    const refused = await handler.answer(wire({ token: "sk_x_0123456789abcdefgh", address: "10.0.0.1" }).request);
    expect([refused.headers["retry-after"], codeIn(refused)]).toEqual(["10", "rate_limited"]);
    expect(await statusFor(handler, "sk_x_0123456789abcdefgh", "10.0.0.2")).toBe(401);
    clock.set(NOW_MS + 9_999);
    expect(await statusFor(handler, "sk_x_0123456789abcdefgh", "10.0.0.1")).toBe(429);
    clock.set(NOW_MS + 10_000);
    expect([await statusFor(handler, "sk_x_0123456789abcdefgh", "10.0.0.1"), await statusFor(handler, "sk_x_0123456789abcdefgh", "10.0.0.1")]).toEqual([401, 429]);
    clock.set(NOW_MS + 3_600_000);
    for (const expected of [401, 401, 401, 429]) expect(await statusFor(handler, "sk_x_0123456789abcdefgh", "10.0.0.1")).toBe(expected);
  });

  it("do not lock out a known token of the same address, seen there before or not, while unknown ones stay refused", async () => {
    const handler = handlerOf(stubDaybook(), { limits, clock: fixedClock(NOW_MS) });
    expect(await statusFor(handler, "sk_owner_0123456789abcdefgh", "10.0.0.1")).toBe(200);
    for (const token of ["sk_a_0123456789abcdefgh", "sk_expired_0123456789abcdefgh", "sk_revoked_0123456789abcdefgh"]) expect(await statusFor(handler, token, "10.0.0.1")).toBe(401);
    expect(await statusFor(handler, "sk_owner_0123456789abcdefgh", "10.0.0.1")).toBe(200);
    expect(await statusFor(handler, "sk_analytics_0123456789abcdefgh", "10.0.0.1")).not.toBe(429);
    for (const token of ["sk_a_0123456789abcdefgh", "sk_b_0123456789abcdefgh", "sk_expired_0123456789abcdefgh", "sk_revoked_0123456789abcdefgh"]) expect(await statusFor(handler, token, "10.0.0.1")).toBe(429);
  });

  it("are refused when sent at once, however long the store of tokens takes", async () => {
    const find = async () => await new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 5));
    const handler = handlerOf(stubDaybook(), { limits, clock: fixedClock(NOW_MS), tokens: { find } });
    const statuses = await Promise.all(Array.from({ length: 10 }, (_, at) => statusFor(handler, `sk_${at}`, "10.0.0.1")));
    expect(statuses.sort()).toEqual([401, 401, 401, 429, 429, 429, 429, 429, 429, 429]);
  });

  it("count for a whole network of IPv6, and are forgotten when ten thousand other addresses have failed since", async () => {
    const handler = handlerOf(stubDaybook(), { limits: { failedTokenCount: 1, failedTokensPerMinute: 1 }, clock: fixedClock(NOW_MS) });
    expect(await statusFor(handler, "sk_x_0123456789abcdefgh", "2001:db8::1")).toBe(401);
    expect(await statusFor(handler, "sk_x_0123456789abcdefgh", "2001:db8:0:0:ffff::2")).toBe(429);
    for (let at = 0; at < 10_000; at += 1) await statusFor(handler, "sk_x_0123456789abcdefgh", `10.1.${at >> 8}.${at & 255}`);
    expect(await statusFor(handler, "sk_x_0123456789abcdefgh", "10.1.39.15")).toBe(429);
    expect(await statusFor(handler, "sk_x_0123456789abcdefgh", "2001:db8::1")).toBe(401);
  });

  it("are not counted where the address is not known", async () => {
    const handler = handlerOf(stubDaybook(), { limits: { failedTokenCount: 1 }, clock: fixedClock(NOW_MS) });
    for (let at = 0; at < 5; at += 1) expect(await statusFor(handler, "sk_x_0123456789abcdefgh")).toBe(401);
  });

  it.each([
    ["10.0.0.1", "10.0.0.1"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8::6", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["fe80::1:2:3:4", "fe80:0:0:0"],
    ["1::3:4:5:6:7:8", "1:0:3:4"],
  ])("the network of %s is %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
