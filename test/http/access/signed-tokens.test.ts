import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixedClock, memoryStorage, openDaybook, type Daybook, type Scope, type SignScopeOptions } from "daybook";
import { sha256Hex } from "../../../src/core/base/hash.js";
import { decodeScopeToken, encodeScopeToken } from "../../../src/engine/tokens/scope-token.js";
import { memoryTokens, type Answered, type Handler, type ServedDaybook } from "../../../src/http/index.js";
import { EdgeFilter } from "../../../src/http/overload/edge-filter.js";
import { routes } from "../../../src/http/routes/table.js";
import { wireRequestOf } from "../../../src/http/wire/request-reply.js";
import { FIELD_OPERANDS } from "../../../src/query/plan/field-names.js";
import { QUERY_NAMES } from "../../../src/query/queries.js";
import { completeRequest } from "../complete-request.js";
import { codeOf, handlerOf, NOW_MS, requestOf, send, stubDaybook, TOKENS } from "../kit.js";

const SCOPE: Scope = { filterGroups: [{ filters: [{ fieldName: "device", operator: "equals", value: "mobile" }] }] };
const EVERYTHING: Scope = { queries: QUERY_NAMES, fields: [...Object.keys(FIELD_OPERANDS), "company.name", "company.domain", "person.email"] };
const HOUR: SignScopeOptions = { expiresIn: "1h", organization: "acme" };
const PAGE = "https://app.example";

let acme: Daybook;
let globex: Daybook;
let handler: Handler;
const answered: Answered[] = [];

beforeAll(async () => {
  const event = (name: string, device: string, project: string) => ({ name, device, project, userId: `${name}-${device}`, createdAt: "2026-03-10T11:00:00.000Z" });
  [acme, globex] = await Promise.all([0, 1].map(() => openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) }))) as [Daybook, Daybook];
  await acme.ingest([event("a", "mobile", "shop"), event("b", "mobile", "site"), event("a", "desktop", "shop"), event("c", "desktop", "secret")]);
  await globex.ingest([event("a", "mobile", "shop")]);
  handler = handlerOf(acme, { organizations: { acme, globex, elsewhere: stubDaybook({ verifyScopeToken: undefined } as never) }, onAnswer: (each) => void answered.push(each) });
});

afterAll(async () => {
  await Promise.all([acme.close(), globex.close()]);
});

const countBy = (token: string, headers: Record<string, string> = {}) => send(handler, "/v1/query/countEvents", { token, body: {}, headers });

/** Routes that run one query, by what the documentation calls them: not by the table that is tested. */
const RUNS_ONE_QUERY = /^POST \/(?:analytics\/|search-events$|v1\/query\/|v1\/projects\/\{project_id\}\/(?:analytics|insights)\/)|^GET \/v1\/(?:identities|companies|projects\/\{project_id\}\/revenue)\//;

describe("a signed token", () => {
  it("runs queries on the events of its scope, in every kind of route", async () => {
    const token = await acme.signScope(SCOPE, HOUR);
    expect((await countBy(token)).json).toEqual({ answer: 2 });
    expect((await send(handler, "/analytics/count-events", { token, body: {} })).json).toEqual({ status: "OK", data: 2 });
    expect((await send(handler, "/v1/projects/shop/analytics/count-events", { token, body: {} })).json).toEqual({ data: 1, status: "OK" });
    const trend = await send(handler, "/v1/projects/site/insights/trend", { token, body: { start_date: "2026-03-10", end_date: "2026-03-10" } });
    expect(trend.json).toMatchObject({ series: [{ data: [1] }] });
    expect(answered.at(-1)).toMatchObject({ organization: "acme", route: "/v1/projects/{project_id}/insights/trend" });
  });

  it("sees a project of others as one without events, and one that does not exist too", async () => {
    const token = await acme.signScope(SCOPE, HOUR);
    const [others, none] = await Promise.all(["secret", "nothing"].map((project) => send(handler, `/v1/projects/${project}/analytics/count-events`, { token, body: {} })));
    expect([others?.status, others?.text]).toEqual([200, '{"status":"OK","data":0}']);
    expect([none?.status, none?.text]).toEqual([others?.status, others?.text]);
  });

  it("gets errors of its scope as 403, whatever rights its queries would need of a secret token", async () => {
    const token = await acme.signScope(SCOPE, HOUR);
    const search = await send(handler, "/search-events", { token, body: {} });
    expect([search.status, codeOf(search)]).toEqual([403, "forbidden_by_scope"]);
    const person = await send(handler, "/v1/query/aggregate", { token, body: { field: "person.plan" } });
    expect([person.status, codeOf(person)]).toEqual([403, "forbidden_by_scope"]);
    const profile = await send(handler, "/v1/identities/profile?user_id=a-mobile", { method: "GET", token });
    expect([profile.status, codeOf(profile)]).toEqual([403, "forbidden_by_scope"]);
  });

  it.each(routes.filter(({ access }) => access !== null).map(({ method, path }) => `${method} ${path}`))("opens %s only if it runs a query", async (route) => {
    const token = await acme.signScope(EVERYTHING, HOUR);
    const { path, options } = completeRequest(route);
    const sent = await send(handler, path, { ...options, token });
    if (RUNS_ONE_QUERY.test(route)) expect([200, 404], `${sent.status} ${sent.text}`).toContain(sent.status);
    else expect([sent.status, codeOf(sent), sent.headers.get("access-control-allow-origin")]).toEqual([403, "forbidden_by_scope", null]);
    // A refused route did nothing either.
    expect(await acme.countEvents()).toBe(4);
  });

  it("explains nothing", async () => {
    const sent = await send(handler, "/v1/query/countEvents?explain=true", { token: await acme.signScope(EVERYTHING, HOUR), body: {} });
    expect([sent.status, codeOf(sent)]).toEqual([403, "forbidden_by_scope"]);
  });

  it.each<[why: string, token: () => Promise<string>]>([
    ["another organization of the handler", () => acme.signScope(SCOPE, { ...HOUR, organization: "globex" })],
    ["a store of another organization, under the name of this one", () => globex.signScope(SCOPE, HOUR)],
    ["an organization that is not served", () => acme.signScope(SCOPE, { ...HOUR, organization: "nowhere" })],
    ["an organization that signs nothing", () => acme.signScope(SCOPE, { ...HOUR, organization: "elsewhere" })],
    ["no organization", () => acme.signScope(SCOPE, { expiresIn: 60 })],
    ["a name that was exchanged", async () => encodeScopeToken({ ...(decodeScopeToken(await globex.signScope(SCOPE, { ...HOUR, organization: "globex" })) ?? expect.unreachable()), organization: "acme" }, () => new Uint8Array(32))],
    ["nobody", () => Promise.resolve("ds_AQRhY21l")],
    ["nobody, without a name", () => Promise.resolve("ds_")],
  ])("of %s is invalid, with the words for every invalid token", async (_why, make) => {
    const sent = await countBy(await make());
    expect([sent.status, sent.json["detail"]]).toEqual([401, "the token is unknown, expired or revoked"]);
    expect(sent.json["code"]).toBe("invalid_token");
  });

  it("counts as a failed token where it is invalid, and is served beside these where it is valid", async () => {
    const limited = handlerOf(acme, { organizations: { acme }, limits: { failedTokenCount: 2, failedTokensPerMinute: 1 }, address: () => "192.0.2.1" });
    const ask = async (token: string) => (await send(limited, "/v1/query/countEvents", { token, body: {} })).status;
    expect([await ask("ds_a"), await ask("ds_b"), await ask("ds_c")]).toEqual([401, 401, 429]);
    expect(await ask(await acme.signScope(SCOPE, HOUR))).toBe(200);
  });

  it("shares its slots with tokens of the same scope, and with no others", async () => {
    let release = () => undefined as unknown;
    const pending = new Promise<number>((resolve) => (release = () => resolve(7)));
    const verifyScopeToken: ServedDaybook["verifyScopeToken"] = (token) => acme.verifyScopeToken(token);
    const scoped = ((scope: Scope) => ({ countEvents: () => (scope.projects === undefined ? pending : Promise.resolve(1)) })) as unknown as Daybook["scoped"];
    const busy = handlerOf(acme, { organizations: { acme: stubDaybook({ verifyScopeToken, scoped } as Partial<Daybook>) }, limits: { requestsPerTokenCount: 1 } });
    const ask = async (scope: Scope, expiresIn: number) => (await send(busy, "/v1/query/countEvents", { token: await acme.signScope(scope, { ...HOUR, expiresIn }), body: {} })).status;
    const first = ask({}, 60);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([await ask({}, 61), await ask({ projects: ["shop"] }, 60)]).toEqual([429, 200]);
    release();
    expect(await first).toBe(200);
  });

  it("passes a server that hashes tokens on another thread, which tells the handler to read it", async () => {
    const edge = new EdgeFilter(structuredClone(handler.edgeRules), sha256Hex, () => undefined);
    const token = await acme.signScope(SCOPE, HOUR);
    for (const [value, isSigned, status] of [[token, true, 200], [`${token}A`, true, 401], ["sk_unknown_0123456789abcdefgh", undefined, 401]] as const) {
      const request = wireRequestOf(requestOf("/v1/query/countEvents", { token: value, body: {} }));
      const decision = await edge.admit(request);
      if (decision.refusal !== null) expect.unreachable();
      expect(decision.findings.isSigned).toBe(isSigned);
      expect((await handler.answer({ ...request, readBody: (...args) => request.readBody(...args), known: structuredClone(decision.findings) })).status).toBe(status);
      decision.release();
    }
    handler.noteRefused({ requestId: "r", method: "POST", route: null, status: 429, code: "rate_limited", durationMs: 0, sha256: sha256Hex(token) });
    expect(answered.at(-1)).toMatchObject({ organization: "acme", status: 429 });
  });

  it("is never a request id", async () => {
    const token = await acme.signScope(SCOPE, HOUR);
    expect((await countBy(token, { "x-request-id": token.slice(0, 128) })).headers.get("x-request-id")).toBe("request-1");
    expect((await countBy(token, { "x-request-id": "builds_17" })).headers.get("x-request-id")).toBe("builds_17");
  });
});

describe("a page of another origin", () => {
  it.each<[origins: readonly string[] | null, origin: string | null, status: number, allowed: string | null]>([
    [null, PAGE, 200, null],
    [null, null, 200, null],
    [[PAGE], PAGE, 200, PAGE],
    [["https://*.app.example", PAGE], "https://eu.app.example", 200, "https://eu.app.example"],
    [[PAGE], "https://app.example.evil", 403, null],
    [[PAGE], "http://app.example", 403, null],
    [[PAGE], "null", 403, null],
    [[PAGE], null, 403, null],
    [["*"], "https://anywhere.example", 200, "*"],
    [["*"], null, 200, "*"],
  ])("with a token for %j, from %j, is answered %i", async (origins, origin, status, allowed) => {
    const sent = await countBy(await acme.signScope(SCOPE, { ...HOUR, origins }), origin === null ? {} : { origin });
    expect([sent.status, sent.headers.get("access-control-allow-origin")]).toEqual([status, allowed]);
    expect(sent.headers.get("vary")).toBe(allowed === null || allowed === "*" ? null : "Origin");
    expect(sent.headers.get("access-control-allow-credentials")).toBeNull();
    if (status === 403) expect(codeOf(sent)).toBe("origin_not_allowed");
  });

  it("can read the errors of a query, and an answer that also varies by type", async () => {
    const token = await acme.signScope(SCOPE, { ...HOUR, origins: [PAGE] });
    const error = await send(handler, "/search-events", { token, body: {}, headers: { origin: PAGE } });
    expect([error.status, error.headers.get("access-control-allow-origin")]).toEqual([403, PAGE]);
    const arrow = await send(handler, "/v1/query/countEventsPerDay", { token, body: {}, headers: { origin: PAGE, accept: "application/vnd.apache.arrow.stream" } });
    expect([arrow.status, arrow.headers.get("vary")]).toEqual([200, "Accept, Origin"]);
  });

  /** Status and CORS header of a query from an origin. */
  const refusedOf = async (by: Handler, token: string, origin: string) => {
    const { status, headers } = await send(by, "/v1/query/countEvents", { token, body: {}, headers: { origin } });
    return [status, headers.get("access-control-allow-origin")];
  };

  it("learns that its token has expired, is not valid yet, or expired too often, and nothing about one that was not signed here", async () => {
    const clock = fixedClock(NOW_MS);
    const store = await openDaybook({ storage: memoryStorage(), clock });
    const token = await store.signScope(SCOPE, { ...HOUR, origins: [PAGE] });
    const forServers = await store.signScope(SCOPE, HOUR);
    const foreign = await acme.signScope(SCOPE, { ...HOUR, origins: [PAGE] });
    const limits = { failedTokenCount: 7, failedTokensPerMinute: 1 };
    const late = handlerOf(store, { organizations: { acme: store }, limits, address: () => "192.0.2.1" });
    for (const nowMs of [NOW_MS + 2 * 3_600_000, NOW_MS - 120_000]) {
      clock.set(nowMs);
      expect(await refusedOf(late, token, PAGE)).toEqual([401, PAGE]);
    }
    expect(await refusedOf(late, token, "https://evil.example")).toEqual([401, null]);
    expect(await refusedOf(late, forServers, PAGE)).toEqual([401, null]);
    for (const forged of [foreign, `${token.slice(0, -4)}AAAA`, `${token.slice(0, 20)}${token[20] === "A" ? "B" : "A"}${token.slice(21)}`]) expect(await refusedOf(late, forged, PAGE)).toEqual([401, null]);
    expect(await refusedOf(late, token, PAGE)).toEqual([429, PAGE]);
    expect(await refusedOf(late, foreign, PAGE)).toEqual([429, null]);
    await store.close();
  });

  it("learns that the server is overloaded, if its token was verified before: nothing is verified meanwhile", async () => {
    let lagMs = 0;
    let verifyCount = 0;
    const verifyScopeToken: ServedDaybook["verifyScopeToken"] = (token) => {
      verifyCount += 1;
      return acme.verifyScopeToken(token);
    };
    const served = { ...stubDaybook(), verifyScopeToken, scoped: acme.scoped.bind(acme) };
    const busy = handlerOf(acme, { organizations: { acme: served }, lagMs: () => lagMs });
    const [token, other, forServers] = [await acme.signScope(SCOPE, { ...HOUR, origins: [PAGE] }), await acme.signScope({}, { ...HOUR, origins: [PAGE] }), await acme.signScope(SCOPE, HOUR)];
    expect([await refusedOf(busy, token, PAGE), await refusedOf(busy, forServers, PAGE)]).toEqual([[200, PAGE], [200, null]]);
    lagMs = 10_000;
    for (const [value, origin, allowed] of [[token, PAGE, PAGE], [token, "https://evil.example", null], [other, PAGE, null], [forServers, PAGE, null], ["ds_a", PAGE, null]] as const)
      expect(await refusedOf(busy, value, origin)).toEqual([503, allowed]);
    expect(verifyCount).toBe(2);
  });

  it("learns it from the sockets' thread too, until an answer of the handler has no CORS headers", async () => {
    const edge = new EdgeFilter(structuredClone(handlerOf(acme, { organizations: { acme }, limits: { requestsPerTokenCount: 1 } }).edgeRules), sha256Hex, () => undefined);
    const token = await acme.signScope(SCOPE, { ...HOUR, origins: [PAGE] });
    const admit = (value: string, origin: string) => edge.admit(wireRequestOf(requestOf("/v1/query/countEvents", { token: value, body: {}, headers: { origin } })));
    const refusedHeaders = async (value: string, origin: string) => {
      const held = await admit(value, origin);
      const { refusal, release } = await admit(value, origin);
      release();
      held.release();
      return [refusal?.status, refusal?.headers["access-control-allow-origin"], refusal?.headers["vary"]];
    };
    const answer = async (headers: Readonly<Record<string, string>>) => {
      const decision = await admit(token, PAGE);
      if (decision.refusal !== null) expect.unreachable();
      decision.answered({ status: 200, headers, body: null });
      decision.release();
    };
    expect(await refusedHeaders(token, PAGE)).toEqual([429, undefined, undefined]);
    await answer({ "access-control-allow-origin": PAGE, vary: "Accept, Origin" });
    expect(await refusedHeaders(token, PAGE)).toEqual([429, PAGE, "Origin"]);
    expect(await refusedHeaders(token, "https://evil.example")).toEqual([429, undefined, undefined]);
    expect(await refusedHeaders(`${token}A`, PAGE)).toEqual([429, undefined, undefined]);
    await answer({});
    expect(await refusedHeaders(token, PAGE)).toEqual([429, undefined, undefined]);
  });

  it("gets no CORS headers with a secret token", async () => {
    const sent = await send(handlerOf(acme, { tokens: memoryTokens(TOKENS) }), "/v1/query/countEvents", { body: {}, headers: { origin: PAGE } });
    expect([sent.status, sent.headers.get("access-control-allow-origin")]).toEqual([200, null]);
  });

  it.each(routes.filter(({ access }) => access !== null).map(({ method, path }) => `${method} ${path}`))("may send the preflight of %s only if it runs a query", async (route) => {
    const { path } = completeRequest(route);
    const isQuery = RUNS_ONE_QUERY.test(route);
    const [asked, unasked] = await Promise.all([{ origin: PAGE }, {}].map((headers) => send(handler, path, { method: "OPTIONS", token: null, headers })));
    const names = ["access-control-allow-origin", "vary", "access-control-allow-methods", "access-control-allow-headers", "access-control-max-age"];
    const [method] = route.split(" ");
    expect([asked?.status, ...names.map((name) => asked?.headers.get(name))]).toEqual(
      isQuery ? [204, PAGE, "Origin", method, "authorization, content-type", "3600"] : [405, null, null, null, null, null],
    );
    expect([unasked?.status, unasked?.headers.get("access-control-allow-origin")]).toEqual([isQuery ? 204 : 405, null]);
  });
});

describe("POST /v1/scopes/sign", () => {
  const serving = () => handlerOf(acme, { organizations: { acme }, tokens: memoryTokens([{ token: "sk_owner_0123456789abcdefgh", role: "owner", scopes: ["*"], organization: "acme" }]) });

  it("signs for the organization of the token that asks", async () => {
    const own = serving();
    const body = { scope: { filter_groups: [{ filters: [{ field_name: "device", operator: "equals", value: "mobile" }] }], last_days: 30 }, expires_in: "15m", origins: [PAGE] };
    const signed = await send(own, "/v1/scopes/sign", { body });
    expect([signed.status, signed.json["expires_at"], signed.headers.get("cache-control")]).toEqual([200, "2026-03-10T12:15:00.000Z", "no-store"]);
    const token = String(signed.json["token"]);
    expect(await acme.verifyScopeToken(token)).toMatchObject({ scope: { ...SCOPE, lastDays: 30 }, organization: "acme", origins: [PAGE] });
    expect((await send(own, "/v1/query/countEvents", { token, body: {}, headers: { origin: PAGE } })).json).toEqual({ answer: 2 });
    const again = await send(own, "/v1/scopes/sign", { token, body });
    expect([again.status, codeOf(again)]).toEqual([403, "forbidden_by_scope"]);
  });

  it.each<[body: object, code: string, detail: string]>([
    [{ scope: {} }, "exactly_one_required", "expires_in: expected exactly one of expires_in and expires_at"],
    [{ expires_in: 60 }, "invalid_parameter", "scope: expected object, but it is missing"],
    [{ scope: { filterGroups: [] }, expires_in: 60 }, "unknown_parameter", "scope.filterGroups: unknown; allowed: filter_groups, projects, from, to, last_days, queries, fields, segments, time_zone, week_start"],
    [{ scope: { last_days: 0 }, expires_in: 60 }, "invalid_parameter", "scope.last_days: expected an integer from 1 to 3660, got 0"],
    [{ scope: {}, expires_in: "2d" }, "invalid_parameter", 'expires_in: expected at most 24 hours from now, or up to 366 days with long_lived, got "2d"'],
    [{ scope: {}, expires_in: 60, organization: "globex" }, "unknown_parameter", "organization: unknown; allowed: scope, expires_in, expires_at, long_lived, origins"],
  ])("refuses %j", async (body, code, detail) => {
    const sent = await send(serving(), "/v1/scopes/sign", { body });
    expect([sent.status, sent.json["code"], sent.json["detail"]]).toEqual([400, code, detail]);
  });

  it("is not available where the events are stored elsewhere", async () => {
    const sent = await send(handlerOf(stubDaybook({ signScope: undefined } as never)), "/v1/scopes/sign", { body: { scope: {}, expires_in: 60 } });
    expect([sent.status, codeOf(sent)]).toEqual([501, "not_supported"]);
  });
});
