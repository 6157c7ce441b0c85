import { describe, expect, it } from "vitest";
import { DaybookError, memoryStorage, openDaybook } from "../../src/index.js";
import type { EventInput } from "../../src/index.js";
import type { ClientOptions, DaybookClient } from "../../src/client/index.js";
import { ERROR_CODES } from "../../src/core/base/errors.js";
import { STATUS } from "../../src/http/answer/error-reply.js";
import { NOW_MS } from "../http/kit.js";
import { clientOn, handlerOver, VirtualMachine } from "./kit.js";

type Reply = Response | Error | "never";

const answer = (value: unknown) => Response.json({ answer: value });
const problem = (code: string, status: number, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ code, detail: "words", status, request_id: "r1" }), { status, headers: { "content-type": "application/problem+json", ...headers } });
const page = (status: number, headers: Record<string, string> = {}) => new Response("<html>", { status, headers: { "content-type": "text/html", ...headers } });

/** A client of a server that answers in this order, the last answer again and again. */
function scripted(replies: readonly Reply[], options: Partial<ClientOptions> = {}) {
  const requests: { readonly url: string; readonly body: string }[] = [];
  const environment = new VirtualMachine();
  const startMs = environment.nowMs();
  const client = clientOn(environment, {
    fetch: async (request) => {
      requests.push({ url: request.url, body: await request.text() });
      const reply = replies[Math.min(requests.length, replies.length) - 1];
      if (reply instanceof Error) throw reply;
      return reply instanceof Response ? reply.clone() : await new Promise<Response>(() => undefined);
    },
    ...options,
  });
  return { client, environment, requests, passedMs: () => environment.nowMs() - startMs };
}

async function errorOf(promise: Promise<unknown>): Promise<DaybookError> {
  const thrown: unknown = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(DaybookError);
  return thrown as DaybookError;
}

const refused = () => new TypeError("fetch failed", { cause: Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" }) });

describe("a request that failed for a passing reason", () => {
  it.each<[string, Reply]>([
    ["a refused connection", refused()],
    ["429", problem("rate_limited", 429)],
    ["500", problem("internal", 500)],
    ["502 of a proxy", page(502)],
    ["503", problem("overloaded", 503)],
    ["503 while the server ends", problem("closed", 503)],
    ["504 of a proxy", page(504)],
  ])("is sent again: %s", async (_, reply) => {
    const { client, requests } = scripted([reply, reply, answer(7)]);
    expect(await client.countEvents()).toBe(7);
    expect(requests).toHaveLength(3);
  });

  it("is sent five times at most, or as often as told, and the last reason is told", async () => {
    const byDefault = scripted([refused()]);
    const error = await errorOf(byDefault.client.countEvents());
    expect([byDefault.requests.length, error.code]).toEqual([5, "unreachable"]);
    expect(error.message).toBe("POST http://daybook.test/v1/query/countEvents: fetch failed (connect ECONNREFUSED 127.0.0.1:1)");
    const once = scripted([problem("overloaded", 503)], { retry: { attempts: 1 } });
    expect(await errorOf(once.client.countEvents())).toMatchObject({ code: "overloaded", message: "words", details: { requestId: "r1", status: 503 } });
    expect(once.requests).toHaveLength(1);
  });

  it("waits at random, under a bound that doubles up to a highest", async () => {
    const { client, environment } = scripted([page(502)], { retry: { attempts: 6, baseMs: 100, maxMs: 500 } });
    environment.randomValue = 1;
    await errorOf(client.countEvents());
    expect(environment.sleeps.slice(1)).toEqual([100, 200, 400, 500, 500]);
    const other = scripted([page(502)], { retry: { attempts: 3, baseMs: 100 } });
    other.environment.randomValue = 0.25;
    await errorOf(other.client.countEvents());
    expect(other.environment.sleeps.slice(1)).toEqual([25, 50]);
  });

  it("waits as long as the server asks, in seconds or to a date", async () => {
    const seconds = scripted([problem("rate_limited", 429, { "retry-after": "7" }), answer(1)]);
    await seconds.client.countEvents();
    expect(seconds.environment.sleeps.slice(1)).toEqual([7_000]);
    const date = scripted([page(503, { "retry-after": new Date(NOW_MS + 3_000).toUTCString() }), answer(1)]);
    await date.client.countEvents();
    expect(date.environment.sleeps.slice(1)).toEqual([3_000]);
    const nonsense = scripted([page(503, { "retry-after": "soon" }), answer(1)]);
    await nonsense.client.countEvents();
    expect(nonsense.environment.sleeps.slice(1)).toEqual([100]);
  });

  it("is not waited for beyond its time", async () => {
    const asked = scripted([problem("rate_limited", 429, { "retry-after": "3600" })]);
    expect((await errorOf(asked.client.countEvents())).code).toBe("rate_limited");
    expect([asked.requests.length, asked.passedMs()]).toEqual([1, 0]);
    const silent = scripted(["never"], { timeoutMs: 1_234 });
    const error = await errorOf(silent.client.countEvents());
    expect([error.code, error.message]).toEqual(["unreachable", "POST http://daybook.test/v1/query/countEvents: no answer within 1234 ms"]);
    expect([silent.requests.length, silent.passedMs()]).toEqual([1, 1_234]);
    const flaky = scripted([page(502), "never"], { timeoutMs: 5_000 });
    expect(await errorOf(flaky.client.countEvents())).toMatchObject({ code: "unreachable", details: { status: 502 } });
    expect(flaky.passedMs()).toBe(5_000);
  });
});

describe("a request that failed for good", () => {
  const passing = [429, 500, 502, 503, 504];
  const lasting = ["query_timeout", "corruption", "manifest_missing"];

  it.each(Object.keys(ERROR_CODES) as (keyof typeof STATUS)[])("is sent again or not, by its code: %s", async (code) => {
    const { client, requests } = scripted([problem(code, STATUS[code])], { retry: { attempts: 2, baseMs: 0 } });
    const error = await errorOf(client.countEvents());
    expect(error.code).toBe(code);
    expect(requests).toHaveLength(passing.includes(STATUS[code]) && !lasting.includes(code) ? 2 : 1);
  });

  it.each<[string, Response, string]>([
    ["a page that is not there", page(404), "status 404 and text/html"],
    ["a page that is", page(200), "status 200 and text/html"],
    ["JSON of somebody else's error", Response.json({ error: "no" }, { status: 400 }), "status 400 and application/json"],
    ["JSON that ends too early", new Response('{"answer":', { headers: { "content-type": "application/json" } }), "status 200 and application/json"],
    ["a redirect", new Response(null, { status: 302, headers: { location: "http://elsewhere.test/" } }), "status 302 and a redirect, which is not followed"],
  ])("is told as no answer of a Daybook: %s", async (_, reply, words) => {
    const { client, requests } = scripted([reply]);
    const error = await errorOf(client.countEvents());
    expect([error.code, error.message]).toEqual(["unreachable", `POST http://daybook.test/v1/query/countEvents: expected an answer from a Daybook server, got ${words}`]);
    expect(requests).toHaveLength(1);
  });

  it("is told in the server's words, with the parameter and the request's id", async () => {
    const body = { code: "invalid_date", detail: "startDate: expected a date", param: "startDate", request_id: "r2" };
    const { client } = scripted([new Response(JSON.stringify(body), { status: 400, headers: { "content-type": "application/problem+json" } })]);
    const error = await errorOf(client.countEvents());
    expect([error.code, error.message, error.details]).toEqual(["invalid_date", body.detail, { param: "startDate", reason: "expected a date", requestId: "r2", status: 400 }]);
  });
});

describe("a change of a privacy request", () => {
  it("is sent again only where the server said that it did nothing", async () => {
    for (const [reply, count] of [[problem("overloaded", 503), 3], [problem("rate_limited", 429), 3], [refused(), 1], [problem("internal", 500), 1], [page(502), 1]] as const) {
      const { client, requests } = scripted([reply], { retry: { attempts: 3 } });
      await errorOf(client.privacyRequests.create({ type: "access", subject: { userId: "u" } }));
      await errorOf(client.privacyRequests.verify("r1"));
      expect(requests).toHaveLength(2 * count);
    }
  });
});

describe("who gives up", () => {
  const ask = (client: DaybookClient, signal: Pick<AbortSignal, "aborted">) => errorOf(client.countEvents({}, { signal }));

  it("is left alone at once, while the server answers and between two tries", async () => {
    for (const replies of [["never"], [page(503, { "retry-after": "50" })]] as const) {
      const { client, requests, passedMs } = scripted(replies);
      const controller = new AbortController();
      const asked = ask(client, controller.signal);
      await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      expect([(await asked).code, requests.length]).toEqual(["aborted", 1]);
      expect(passedMs()).toBe(0);
    }
  });

  it.each<[string, (client: DaybookClient, signal: AbortSignal) => AsyncIterable<unknown>]>([
    ["exportEvents", (client, signal) => client.exportEvents({}, { signal })],
    ["exportRecords", (client, signal) => client.exportRecords({ signal })],
    ["a bundle", (client, signal) => client.privacyRequests.bundle("00000000-0000-4000-8000-000000000001", { signal })],
  ])("of %s is left alone at once", async (_, read) => {
    const { client, requests } = scripted(["never"]);
    const controller = new AbortController();
    const next = errorOf(read(client, controller.signal)[Symbol.asyncIterator]().next());
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect([(await next).code, requests.length]).toEqual(["aborted", 1]);
  });

  it("may say so by anything that has aborted", async () => {
    const { client, passedMs } = scripted(["never"]);
    const signal = { aborted: false };
    const asked = ask(client, signal);
    await new Promise((resolve) => setImmediate(resolve));
    signal.aborted = true;
    expect((await asked).code).toBe("aborted");
    expect(passedMs()).toBeLessThanOrEqual(40);
  });

  it("before asking asks nothing", async () => {
    const { client, requests } = scripted([answer(1)]);
    for (const signal of [AbortSignal.abort(), { aborted: true }]) expect((await ask(client, signal)).code).toBe("aborted");
    expect(requests).toEqual([]);
  });

  it("by closing the client ends all that is under way, and nothing begins any more", async () => {
    const { client, requests } = scripted(["never"]);
    const asked = Array.from({ length: 20 }, () => errorOf(client.countEvents()));
    await new Promise((resolve) => setImmediate(resolve));
    await client.close();
    expect((await Promise.all(asked)).map(({ code }) => code)).toEqual(Array(20).fill("closed"));
    expect(requests).toHaveLength(8);
    expect((await errorOf(client.countEvents())).code).toBe("closed");
    await client.close();
    expect(requests).toHaveLength(8);
  });
});

describe("what a client sends", () => {
  it("is stored once, though answers are lost after the commit", async () => {
    const daybook = await openDaybook({ storage: memoryStorage(), clock: { now: () => NOW_MS } });
    const handler = handlerOver(daybook);
    let count = 0;
    const lossy = clientOn(new VirtualMachine(), {
      fetch: async (request) => {
        const response = await handler(request);
        count += 1;
        if (count % 3 !== 0) throw new TypeError("fetch failed", { cause: new Error("other side closed") });
        return response;
      },
    });
    const events: EventInput[] = [{ name: "a", createdAt: NOW_MS }, { name: "a", createdAt: NOW_MS }, { name: "b", id: "mine", createdAt: NOW_MS }, { name: "" }];
    expect(await lossy.ingest(events)).toMatchObject({ accepted: 0, duplicates: 3, rejected: [{ index: 3, code: "invalid_event" }] });
    expect(await daybook.countEvents()).toBe(3);
    const { linkId } = await lossy.identify({ anonymousId: "a1", userId: "u1" });
    await lossy.group({ userId: "u1", companyId: "acme" });
    await lossy.alias({ from: "u0", to: "u1" });
    await lossy.unlink(linkId);
    await lossy.createProject("shop");
    expect(await daybook.stats()).toMatchObject({ projects: ["default", "shop"] });
    await daybook.close();
  });
});
