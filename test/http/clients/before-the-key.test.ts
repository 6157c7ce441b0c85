import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { fixedClock } from "../../../src/core/base/time.js";
import { SERVER_LIMITS } from "../../../src/core/base/server-limits.js";
import { createHandler, memoryTokens } from "../../../src/http/index.js";
import type { HandlerOptions, WireReply } from "../../../src/http/index.js";
import { memoryStorage, openDaybook } from "../../../src/index.js";

const TOKEN = "sk_clients_0123456789_0123456789abcdefgh";
const MIB = 1024 * 1024;
const FORM = { "content-type": "application/x-www-form-urlencoded" };

async function handling(options: Partial<HandlerOptions> = {}) {
  const daybook = await openDaybook({ storage: memoryStorage() });
  const tokens = memoryTokens([{ token: TOKEN, role: "owner", scopes: ["*"], project: "shop" }]);
  const handler = createHandler({ organizations: { default: daybook }, tokens, ...options });
  onTestFinished(async () => {
    handler.stop();
    await daybook.close();
  });
  return { daybook, handler };
}

/** A request as a transport hands it over; `seen` tells what was read of it. A body that `stays` is never whole. */
function wire(target: string, body: string | Uint8Array, { headers = {}, stays = false }: { headers?: Record<string, string>; stays?: boolean } = {}) {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const seen = { isRead: false };
  const readBody = async (maxByteLength: number, onBytes: (byteLength: number) => void = () => undefined) => {
    seen.isRead = true;
    onBytes(Math.min(maxByteLength, bytes.length));
    return await (stays ? new Promise<never>(() => undefined) : Promise.resolve(bytes));
  };
  return { seen, request: { method: "POST", target, signal: { aborted: false }, address: "198.51.100.7", header: (name: string) => headers[name] ?? null, readBody } };
}

const reasonOf = ({ status, body }: WireReply) => [status, (JSON.parse(String(body)) as { reason?: string }).reason];
const gzip = (text: string, headers: Record<string, string> = {}) => [gzipSync(text), { headers: { "content-encoding": "gzip", ...headers } }] as const;
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("before a key is known", () => {
  it("a body unfolds to a mebibyte and no further; with the key in a header it may be as long as any", async () => {
    const { handler } = await handling();
    const long = JSON.stringify({ type: "track", payload: { name: "a" }, data: Array(2_100).fill("x".repeat(1_000)) });
    expect(reasonOf(await handler.answer(wire("/batch/", ...gzip(long)).request))).toEqual([413, "body_too_large"]);
    const known = { "openpanel-client-secret": TOKEN };
    expect((await handler.answer(wire("/track", ...gzip(long, known)).request)).status).toBe(200);
  });

  it("a form of many fields is refused, whatever they are called", async () => {
    const { handler } = await handling();
    const names = Array.from({ length: 100_000 }, (_, at) => at.toString(36)).join("&");
    expect(reasonOf(await handler.answer(wire("/engage", names, { headers: FORM }).request))).toEqual([400, "invalid_body"]);
  });

  it("what a header says is judged before anything is read", async () => {
    const { handler } = await handling();
    const { request, seen } = wire("/track", "{}", { headers: { "openpanel-client-secret": "sk_wrong_0123456789abcdefgh" } });
    expect([reasonOf(await handler.answer(request)), seen.isRead]).toEqual([[401, "invalid_token"], false]);
  });

  it("an address from which no token was good is refused unread, one that has brought a good one is not", async () => {
    const batch = (key: string) => JSON.stringify({ api_key: key, batch: [] });
    const options = { limits: { failedTokenCount: 2, failedTokensPerMinute: 1 }, clock: fixedClock(1_800_000_000_000) };
    for (const isKnown of [false, true]) {
      const { handler } = await handling(options);
      if (isKnown) expect((await handler.answer(wire("/batch/", batch(TOKEN)).request)).status).toBe(200);
      for (const status of [401, 401]) expect((await handler.answer(wire("/batch/", batch("sk_no_0123456789abcdefgh")).request)).status).toBe(status);
      const { request, seen } = wire("/batch/", batch(TOKEN));
      expect([(await handler.answer(request)).status, seen.isRead]).toEqual(isKnown ? [200, true] : [429, false]);
    }
  });

  it("a body that brings no key, or cannot be read, counts as a key that opens nothing", async () => {
    const { handler } = await handling({ limits: { failedTokenCount: 2, failedTokensPerMinute: 1 }, clock: fixedClock(1_800_000_000_000) });
    const statuses = [];
    for (const text of ['{"api_key":""}', "{", "{}"]) statuses.push((await handler.answer(wire("/batch/", text).request)).status);
    expect(statuses).toEqual([401, 400, 429]);
  });

  it("bodies hold little, so that those of keys find room, and their bytes count to the key's once it is known", async () => {
    const { handler } = await handling();
    const slow = Array.from({ length: SERVER_LIMITS.heldKeylessBytes / MIB }, () => wire("/batch/", new Uint8Array(16 * MIB), { stays: true }));
    for (const { request } of slow) void handler.answer(request);
    await turn();
    expect(slow.every(({ seen }) => seen.isRead)).toBe(true);
    expect(reasonOf(await handler.answer(wire("/batch/", "{}").request))).toEqual([503, "overloaded"]);
    const events = wire("/v1/events", `[${Array(15).fill(`{"name":"a"${" ".repeat(1_000_000)}}`).join(",")}]`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect((await handler.answer(events.request)).status).toBe(200);
  });
});
