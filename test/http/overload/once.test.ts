import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/core/base/hash.js";
import { EdgeFilter } from "../../../src/http/overload/edge-filter.js";
import type { RequestFindings, WireRequest } from "../../../src/http/wire/request-reply.js";
import type { HandlerOptions } from "../../../src/http/index.js";
import { memoryTokens } from "../../../src/http/index.js";
import { handlerOf, NOW_MS, send, stubDaybook, TOKENS } from "../kit.js";

/** What was looked at to answer, in order: `route` for the target, `token` for its header, `hash` for a hash of the token. */
type Look = "route" | "token" | "hash";

const COUNT = "/analytics/count-events?";

function asking(looks: Look[], target: string, known?: RequestFindings): WireRequest {
  return {
    method: "POST",
    get target() {
      looks.push("route");
      return target;
    },
    known,
    signal: { aborted: false },
    header: (name) => {
      if (name !== "authorization") return null;
      looks.push("token");
      return "Bearer sk_owner_0123456789abcdefgh";
    },
    readBody: () => Promise.resolve(new TextEncoder().encode("{}")),
  };
}

function setup(options: Partial<HandlerOptions> = {}) {
  const looks: Look[] = [];
  const hash = (text: string) => {
    if (text.startsWith("sk_")) looks.push("hash");
    return sha256Hex(text);
  };
  const handler = handlerOf(stubDaybook(), { sha256Hex: hash, ...options });
  const front = new EdgeFilter(structuredClone(handler.edgeRules), hash, handler.noteRefused);
  return { looks, handler, front };
}

describe("A request is routed and its token hashed once", () => {
  it("by a handler alone", async () => {
    const { looks, handler } = setup();
    expect((await handler.answer(asking(looks, COUNT))).status).toBe(200);
    expect(looks).toEqual(["route", "token", "hash"]);
  });

  it("by a front, which tells the handler", async () => {
    const { looks, handler, front } = setup();
    const entered = await front.admit(asking(looks, COUNT));
    if (entered.refusal !== null) throw new Error("expected to enter");
    expect(looks).toEqual(["route", "token", "hash"]);
    const reply = await handler.answer(asking(looks, COUNT, structuredClone(entered.findings)));
    entered.release();
    expect([reply.status, looks]).toEqual([200, ["route", "token", "hash"]]);
  });

  it("by a front that refuses it, too", async () => {
    const { looks, front } = setup();
    for (const target of ["/nowhere", "/healthz", "/v1/companies/%zz"]) expect((await front.admit(asking(looks, target))).refusal).not.toBe(null);
    expect(looks).toEqual(["route", "route", "route"]);
  });
});

describe("What a front tells the handler", () => {
  it("has the parameters of the path, and the query", async () => {
    const { front } = setup();
    const target = "/v1/companies/a%20b/top-users?range_days=7";
    const entered = await front.admit({ ...asking([], target), method: "GET" });
    expect(entered).toMatchObject({
      findings: { path: "/v1/companies/{company_id}/top-users", params: { company_id: "a b" }, query: "range_days=7", sha256: sha256Hex("sk_owner_0123456789abcdefgh") },
    });
  });

  it("leads to the answer that the handler gives without it", async () => {
    const { front, handler } = setup();
    const requests: readonly Partial<WireRequest>[] = [
      {},
      { header: () => null },
      { header: () => null, target: "/v1/track" },
      { header: (name) => (name === "authorization" ? "Bearer sk_unknown_0123456789abcdefgh" : null) },
      { header: (name) => (name === "authorization" ? `Basic ${btoa("sk_owner_0123456789abcdefgh:")}` : null), target: "/v1/track" },
      { method: "GET", target: "/v1/companies/top?range_days=0" },
      { method: "HEAD", target: "/openapi.json" },
      { method: "GET", target: "/healthz?a=1" },
    ];
    for (const over of requests) {
      const request: WireRequest = { ...asking([], COUNT), ...over };
      const entered = await front.admit(request);
      if (entered.refusal !== null) throw new Error("expected to enter");
      expect(await handler.answer({ ...request, known: entered.findings })).toEqual(await handler.answer(request));
      entered.release();
    }
  });

  it("is a defect where it is of another table of routes", async () => {
    const defects: unknown[] = [];
    const { handler } = setup({ onDefect: (thrown) => defects.push(thrown) });
    expect((await handler.answer(asking([], COUNT, { path: "/other", params: {}, query: "" }))).status).toBe(500);
    expect(defects).toMatchObject([{ code: "internal", message: "expected the path of a route, got /other" }]);
  });
});

describe("The rights of a token are looked at", () => {
  /** One look each: the token may everything. */
  async function looksFor(path: string, body: object): Promise<number> {
    let count = 0;
    const { find } = memoryTokens(TOKENS);
    const counted: HandlerOptions["tokens"] = {
      find: async (sha256) => {
        const token = await find(sha256);
        return (
          token && {
            ...token,
            get scopes() {
              count += 1;
              return ["*"] as const;
            },
          }
        );
      },
    };
    const { status } = await send(handlerOf(stubDaybook(), { tokens: counted }), path, { body });
    expect(status).toBe(200);
    return count;
  }
  const call = { type: "identify", messageId: "m", userId: "u", timestamp: new Date(NOW_MS).toISOString() };

  it("once for a call that ties ids", async () => {
    expect(await looksFor("/v1/identify", call)).toBe(1);
  });

  it("once more for a batch that has such calls, which may be sent without", async () => {
    expect(await looksFor("/v1/batch", { batch: [call, call] })).toBe(2);
    expect(await looksFor("/v1/batch", { batch: [] })).toBe(1);
  });
});
