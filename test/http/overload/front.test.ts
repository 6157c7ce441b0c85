import { describe, expect, it } from "vitest";
import { SERVER_LIMITS } from "../../../src/core/base/server-limits.js";
import { DaybookError } from "../../../src/core/base/errors.js";
import { sha256Hex } from "../../../src/core/base/hash.js";
import { EdgeFilter } from "../../../src/http/overload/edge-filter.js";
import type { Refusal } from "../../../src/http/overload/edge-filter.js";
import type { WireReply, WireRequest } from "../../../src/http/wire/request-reply.js";
import type { HandlerLimits } from "../../../src/http/overload/admission.js";
import { memoryTokens } from "../../../src/http/index.js";
import { handlerOf, stubDaybook, TOKENS } from "../kit.js";

function frontOf(limits: Partial<HandlerLimits> = {}) {
  const refusals: Refusal[] = [];
  const { edgeRules } = handlerOf(stubDaybook(), { limits });
  return { front: new EdgeFilter(structuredClone(edgeRules), sha256Hex, (refusal) => refusals.push(refusal)), refusals };
}

/** Asks for a count, unless told otherwise. */
function asking(token: string, over: Partial<WireRequest> = {}): WireRequest {
  const header = (name: string) => (name === "authorization" ? `Bearer ${token}` : null);
  return { method: "POST", target: "/analytics/count-events", signal: { aborted: false }, header, readBody: () => Promise.reject(new Error("unread")), ...over };
}

const statusOf = (reply: WireReply | null) => reply?.status ?? null;

describe("a front", () => {
  it("lets a request of a token that has too many wait for the next that is answered, in order, and refuses it after a moment", async () => {
    const { front, refusals } = frontOf({ requestsPerTokenCount: 1 });
    const first = await front.admit(asking("sk_a_0123456789abcdefgh"));
    const [second, third] = [front.admit(asking("sk_a_0123456789abcdefgh")), front.admit(asking("sk_a_0123456789abcdefgh"))];
    expect(statusOf((await front.admit(asking("sk_b_0123456789abcdefgh"))).refusal)).toBe(null);
    first.release();
    expect(statusOf((await second).refusal)).toBe(null);
    const refused = await third;
    expect(statusOf(refused.refusal)).toBe(429);
    refused.release();
    expect(refusals).toMatchObject([{ status: 429, code: "rate_limited", route: "/analytics/count-events", method: "POST", sha256: sha256Hex("sk_a_0123456789abcdefgh") }]);
    const fourth = front.admit(asking("sk_a_0123456789abcdefgh"));
    (await second).release();
    expect(statusOf((await fourth).refusal)).toBe(null);
    (await fourth).release();
    expect(statusOf((await front.admit(asking("sk_a_0123456789abcdefgh"))).refusal)).toBe(null);
  });

  it("lets a short write of a token wait for its turn longer than for that moment", async () => {
    const { front, refusals } = frontOf({ requestsPerTokenCount: 1 });
    const write = (byteLength: number) => {
      const header = (name: string) => ({ authorization: "Bearer sk_a_0123456789abcdefgh", "content-length": String(byteLength) })[name] ?? null;
      return front.admit(asking("sk_a_0123456789abcdefgh", { target: "/v1/track", header }));
    };
    const first = await write(100);
    const [second, long] = [write(100), write(100_000)];
    expect(statusOf((await long).refusal)).toBe(429);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(refusals).toHaveLength(1);
    first.release();
    expect(statusOf((await second).refusal)).toBe(null);
  });

  it("refuses all but open routes when very many requests are with the handler, whoever sends them", async () => {
    const { front, refusals } = frontOf();
    const nobody = { header: () => null };
    const entered = await Promise.all(Array.from({ length: SERVER_LIMITS.forwardedRequestCount }, () => front.admit(asking("", nobody))));
    expect(entered.every(({ refusal }) => refusal === null)).toBe(true);
    for (const request of [asking("", nobody), asking("sk_a_0123456789abcdefgh")]) expect(statusOf((await front.admit(request)).refusal)).toBe(503);
    expect(refusals.map(({ code }) => code)).toEqual(["overloaded", "overloaded"]);
    expect(statusOf((await front.admit(asking("sk_a_0123456789abcdefgh", { method: "GET", target: "/healthz" }))).refusal)).toBe(null);
    entered[0]?.release();
    expect(statusOf((await front.admit(asking("sk_a_0123456789abcdefgh"))).refusal)).toBe(null);
    expect(statusOf((await front.admit(asking("sk_a_0123456789abcdefgh"))).refusal)).toBe(503);
  });

  it("answers what the socket found wrong, in the envelope of the path, and a path that is none before it", async () => {
    const { front, refusals } = frontOf();
    const fault = new DaybookError("duplicate_header", "Host: expected once, got it twice");
    const replies = [
      await front.admit(asking("sk_a_0123456789abcdefgh", { fault })),
      await front.admit(asking("sk_a_0123456789abcdefgh", { fault, target: "/v1/companies/top" })),
      await front.admit(asking("sk_a_0123456789abcdefgh", { fault, target: "/nowhere" })),
      await front.admit(asking("sk_a_0123456789abcdefgh", { fault, method: "HEAD" })),
    ].map(({ refusal }) => refusal);
    expect(replies.map(statusOf)).toEqual([400, 400, 404, 400]);
    expect(replies.map((reply) => String(reply?.body).slice(0, 20))).toEqual(['{"status":"ERROR","e', '{"type":"urn:daybook', '{"type":"urn:daybook', "null"]);
    expect(refusals.map(({ route, sha256 }) => [route, sha256])).toEqual([
      ["/analytics/count-events", null],
      ["/v1/companies/top", null],
      [null, null],
      ["/analytics/count-events", null],
    ]);
  });

  it("answers what no route takes, in the words and the envelope of the handler, and counts it where the handler would", async () => {
    const { front, refusals } = frontOf();
    const handler = handlerOf(stubDaybook());
    const nowhere: readonly Partial<WireRequest>[] = [
      { target: "/nowhere" },
      { target: "/v1/companies/%zz/top-users" },
      { target: `/${"x".repeat(SERVER_LIMITS.urlChars)}` },
      { method: "GET" },
      { method: "DELETE", target: "/v1/companies/top" },
      { method: "HEAD", target: "/v1/events" },
    ];
    for (const over of nowhere) {
      const header = (name: string) => (name === "x-request-id" ? "mine" : null);
      const request = asking("sk_a_0123456789abcdefgh", { ...over, header });
      expect((await front.admit(request)).refusal).toEqual(await handler.answer(request));
    }
    expect(refusals.map(({ route, code, sha256 }) => [route, code, sha256])).toEqual([
      [null, "route_not_found", null],
      [null, "invalid_parameter", null],
      [null, "uri_too_long", null],
      ["/analytics/count-events", "method_not_allowed", null],
      ["/v1/companies/top", "method_not_allowed", null],
      ["/v1/events", "method_not_allowed", null],
    ]);
  });

  it("counts no refusal for an organization by a token that opens nothing, or no longer does", async () => {
    const answered: unknown[] = [];
    const handler = handlerOf(stubDaybook(), { onAnswer: ({ organization, code }) => answered.push([organization, code]) });
    const refusal = { requestId: "r", method: "POST", route: "/v1/events", status: 429, code: "rate_limited", durationMs: 0 } as const;
    for (const token of ["sk_owner_0123456789abcdefgh", "sk_revoked_0123456789abcdefgh", "sk_other_0123456789abcdefgh"]) {
      await handler.answer(asking(token, { target: "/healthz" }));
      await handler.answer(asking(token, { method: "GET", target: "/v1/companies/top" }));
      handler.noteRefused({ ...refusal, sha256: sha256Hex(token) });
    }
    expect(answered.filter((each) => Array.isArray(each) && each[1] === "rate_limited")).toEqual([
      ["default", "rate_limited"],
      [null, "rate_limited"],
      ["other", "rate_limited"],
    ]);
  });

  it("counts none for the organization of a token that was taken away", async () => {
    const told: unknown[] = [];
    const { find } = memoryTokens(TOKENS);
    let isRevoked = false;
    const handler = handlerOf(stubDaybook(), { tokens: { find: (sha256) => (isRevoked ? undefined : find(sha256)) }, onAnswer: ({ organization }) => told.push(organization) });
    const ask = () => handler.answer(asking("sk_owner_0123456789abcdefgh", { method: "GET", target: "/v1/companies/top" }));
    const refusal = { requestId: "r", method: "GET", route: "/v1/companies/top", status: 429, code: "rate_limited", durationMs: 0, sha256: sha256Hex("sk_owner_0123456789abcdefgh") } as const;
    await ask();
    handler.noteRefused(refusal);
    isRevoked = true;
    await ask();
    handler.noteRefused(refusal);
    expect(told).toEqual(["default", "default", null, null]);
  });
});
