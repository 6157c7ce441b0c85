import { createServer, request } from "node:http";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { SERVER_LIMITS } from "../../../src/core/base/server-limits.js";
import { memoryStorage, openDaybook } from "../../../src/index.js";
import type { Daybook } from "../../../src/index.js";
import { createHandler } from "../../../src/http/index.js";
import type { Handler, TokenRecord, TokenStore } from "../../../src/http/index.js";
import { memoryTokens } from "../../../src/http/index.js";
import { tokenHash } from "../../../src/http/access/token.js";
import { ChangeStream } from "../../../src/http/answer/change-stream.js";
import { listen, listenOnWorker, toNodeHandler } from "../../../src/platform/node/index.js";
import { THREAD } from "./ways.js";

interface Server {
  readonly url: string;
  close(): Promise<void>;
}

async function mounted(handler: Handler): Promise<Server> {
  const server = createServer(toNodeHandler(handler));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

const TRANSPORTS: readonly (readonly [name: string, serve: (handler: Handler) => Promise<Server>])[] = [
  ["a socket of our own", (handler) => listen(handler)],
  ["a thread of sockets", (handler) => listenOnWorker(handler, { program: THREAD })],
  ["somebody else's server", mounted],
];

const PATH = "/v1/projects/shop/changes";
const TOKENS = [
  { token: "sk_owner_0123456789abcdefgh", role: "owner", scopes: ["*"] },
  { token: "sk_blog_0123456789abcdefgh", role: "viewer", scopes: ["analytics:read"], project: "blog" },
] as const;

function handlerOver(daybook: Daybook): Handler {
  return createHandler({ organizations: { default: daybook }, tokens: memoryTokens(TOKENS) });
}

/** A stream of events that is read. */
interface Listener {
  readonly response: IncomingMessage;
  text(): string;
  /** Resolves when the text holds this. */
  until(part: string): Promise<void>;
  readonly ended: Promise<void>;
  leave(): void;
}

async function listenTo(url: string, path = PATH, headers: Record<string, string> = {}): Promise<Listener> {
  const sent = request(`${url}${path}`, { headers: { authorization: "Bearer sk_owner_0123456789abcdefgh", ...headers }, agent: false });
  const response = await new Promise<IncomingMessage>((resolve, reject) => sent.on("response", resolve).on("error", reject).end());
  let text = "";
  response.setEncoding("utf8").on("data", (piece: string) => (text += piece)).on("error", () => undefined);
  const ended = new Promise<void>((resolve) => response.on("close", () => resolve()));
  const until = async (part: string) => {
    for (const endMs = performance.now() + 5_000; !text.includes(part); await sleep(5)) if (performance.now() > endMs) throw new Error(`no ${part} in ${text}`);
  };
  return { response, text: () => text, until, ended, leave: () => void sent.destroy() };
}

test.each(TRANSPORTS)("Over %s changes come as they happen, of the project alone, and nobody who left is held.", async (_, serve) => {
  const daybook = await openDaybook({ storage: memoryStorage() });
  await daybook.ingest([{ name: "a", project: "shop" }, { name: "a", project: "blog" }]);
  const server = await serve(handlerOver(daybook));
  const listener = await listenTo(server.url);
  expect(listener.response.statusCode).toBe(200);
  expect(listener.response.headers).toMatchObject({ "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" });
  await listener.until("retry: 1000\n\n");
  await daybook.ingest([{ name: "b", project: "blog" }]);
  await sleep(300);
  expect(listener.text()).toBe("retry: 1000\n\n");
  await daybook.ingest([{ name: "b", project: "shop" }]);
  await listener.until('id: 4\ndata: {"sequence":4}\n\n');
  listener.leave();
  const back = await listenTo(server.url, PATH, { "last-event-id": "3" });
  await back.until("id: 4\n");
  await server.close();
  await back.ended;
  await daybook.close();
});

test.each(TRANSPORTS.slice(0, 2))("%s stops at once, though somebody listens.", async (_, serve) => {
  const daybook = await openDaybook({ storage: memoryStorage() });
  await daybook.ingest([{ name: "a", project: "shop" }]);
  const server = await serve(handlerOver(daybook));
  const listeners = await Promise.all([1, 2, 3].map(() => listenTo(server.url)));
  const startedMs = performance.now();
  await server.close();
  await Promise.all(listeners.map(({ ended }) => ended));
  expect(performance.now() - startedMs).toBeLessThan(2_000);
  await daybook.close();
});

test("A close of the store ends what listens to it, and a token of another project hears nothing.", async () => {
  const daybook = await openDaybook({ storage: memoryStorage() });
  await daybook.ingest([{ name: "a", project: "shop" }]);
  const server = await listen(handlerOver(daybook));
  expect((await listenTo(server.url, PATH, { authorization: "Bearer sk_blog_0123456789abcdefgh" })).response.statusCode).toBe(404);
  expect((await listenTo(server.url, PATH, { "last-event-id": "x" })).response.statusCode).toBe(400);
  const listener = await listenTo(server.url);
  await daybook.close();
  await listener.ended;
  await server.close();
});

test.each(TRANSPORTS.slice(0, 2))("Over %s a token has so many streams at a time, and one that is left makes room.", async (_, serve) => {
  const daybook = await openDaybook({ storage: memoryStorage() });
  await daybook.ingest([{ name: "a", project: "shop" }]);
  const handler = createHandler({ organizations: { default: daybook }, tokens: memoryTokens(TOKENS), limits: { requestsPerTokenCount: 2 } });
  const server = await serve(handler);
  const [first] = [await listenTo(server.url), await listenTo(server.url)];
  expect((await listenTo(server.url)).response.statusCode).toBe(429);
  first.leave();
  for (const endMs = performance.now() + 5_000; ; await sleep(20)) {
    const { response } = await listenTo(server.url);
    if (response.statusCode === 200) break;
    expect(performance.now()).toBeLessThan(endMs);
  }
  await server.close();
  await daybook.close();
});

test("A request for the headers alone holds no stream.", async () => {
  const daybook = await openDaybook({ storage: memoryStorage() });
  await daybook.ingest([{ name: "a", project: "shop" }]);
  const handler = createHandler({ organizations: { default: daybook }, tokens: memoryTokens(TOKENS), limits: { requestsPerTokenCount: 1 } });
  const ask = (method: string) => handler(new Request(`http://daybook.test${PATH}`, { method, headers: { authorization: "Bearer sk_owner_0123456789abcdefgh" } }));
  for (const method of ["HEAD", "HEAD"]) expect((await ask(method)).status).toBe(200);
  const response = await ask("GET");
  expect(response.status).toBe(200);
  await response.body?.cancel();
  expect((await ask("HEAD")).status).toBe(200);
  await daybook.close();
});

test("A token is looked at and comments come also while there is always something to tell.", async () => {
  const busy = async function* (signal: { readonly aborted: boolean }) {
    for (let sequence = 1; !signal.aborted; sequence += 1, await sleep(1)) yield { sequence, projects: ["shop"] };
  };
  for (const project of ["shop", "quiet"]) {
    const pieces: string[] = [];
    const beatCount = () => pieces.filter((piece) => piece === ":\n\n").length;
    const stream = new ChangeStream(busy, { project, isTokenValid: () => Promise.resolve(beatCount() < 2), heartbeatMs: 20 });
    for (let piece = await stream.next(); piece !== null; piece = await stream.next()) pieces.push(piece);
    expect([project, beatCount()]).toEqual([project, 2]);
  }
});

test("What comes after the head is told for what it is: a change of another project is none.", async () => {
  const daybook = await openDaybook({ storage: memoryStorage() });
  await daybook.ingest([{ name: "a", project: "shop" }]);
  const stream = new ChangeStream((signal) => daybook.changes({ signal }), { project: "shop", isTokenValid: () => Promise.resolve(true), heartbeatMs: 60_000 });
  await stream.next();
  await daybook.ingest([{ name: "a", project: "blog" }]);
  const told = stream.next();
  await sleep(50);
  await daybook.ingest([{ name: "a", project: "shop" }]);
  expect(await told).toBe('id: 3\ndata: {"sequence":3}\n\n');
  stream.cancel();
  await daybook.close();
});

test.each(TRANSPORTS.slice(0, 2))("Over %s streams that were asked for in one go end with their connection.", async (_, serve) => {
  const daybook = await openDaybook({ storage: memoryStorage() });
  await daybook.ingest([{ name: "a", project: "shop" }]);
  const handler = createHandler({ organizations: { default: daybook }, tokens: memoryTokens(TOKENS), limits: { requestsPerTokenCount: 3 } });
  const server = await serve(handler);
  const asked = `GET ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_owner_0123456789abcdefgh\r\n\r\n`;
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  const begun = new Promise<void>((resolve) => socket.on("data", (text) => String(text).includes("retry:") && resolve()));
  socket.write(asked.repeat(3));
  await begun;
  socket.destroy();
  // There is room for as many as at first.
  for (const endMs = performance.now() + 5_000; ; await sleep(50)) {
    const listeners = [await listenTo(server.url), await listenTo(server.url), await listenTo(server.url)];
    for (const { leave } of listeners) leave();
    if (listeners.every(({ response }) => response.statusCode === 200)) break;
    expect(performance.now()).toBeLessThan(endMs);
  }
  await server.close();
  await daybook.close();
});

test("Silence is broken by comments, until the token is revoked.", async () => {
  const record: TokenRecord = {
    id: "t", sha256: tokenHash("sk_a_0123456789abcdefgh"), organization: "default", project: null, role: "owner", scopes: ["*"],
    created_at: null, expires_at: null, revoked_at: null,
  };
  let tokens: TokenRecord[] = [record];
  const daybook = await openDaybook({ storage: memoryStorage() });
  const isTokenValid = () => Promise.resolve(tokens.length > 0);
  const stream = new ChangeStream((signal) => daybook.changes({ signal }), { project: null, isTokenValid, heartbeatMs: 20 });
  expect(await stream.next()).toBe("retry: 1000\n\n");
  expect(await stream.next()).toBe(":\n\n");
  await daybook.ingest([{ name: "a" }]);
  expect(await stream.next()).toBe('id: 1\ndata: {"sequence":1}\n\n');
  tokens = [];
  expect(await stream.next()).toBeNull();
  expect(await stream.next()).toBeNull();
  await daybook.close();
});

/** Tokens that a test revokes. */
function revocableTokens() {
  const revoked = new Set<string>();
  const watchers = new Set<() => void>();
  const stored = memoryTokens(TOKENS);
  const tokens: TokenStore = {
    find: async (sha256) => (revoked.has(sha256) ? undefined : await stored.find(sha256)),
    watch: (onChange) => {
      watchers.add(onChange);
      return () => void watchers.delete(onChange);
    },
  };
  const revoke = (token: string) => {
    revoked.add(tokenHash(token));
    for (const watcher of watchers) watcher();
  };
  return { tokens, revoke, watchers };
}

/** Before the first heartbeat, which would end the stream too. */
const AT_ONCE = { timeout: SERVER_LIMITS.changeHeartbeatMs - 3_000 };

test.each(TRANSPORTS)("Over %s the stream of a revoked token ends at once, in silence too, and others stay.", AT_ONCE, async (_, serve) => {
  const daybook = await openDaybook({ storage: memoryStorage() });
  await daybook.ingest([{ name: "a", project: "shop" }, { name: "a", project: "blog" }]);
  const { tokens, revoke, watchers } = revocableTokens();
  const handler = createHandler({ organizations: { default: daybook }, tokens });
  const server = await serve(handler);
  const revoked = await listenTo(server.url);
  const other = await listenTo(server.url, "/v1/projects/blog/changes", { authorization: "Bearer sk_blog_0123456789abcdefgh" });
  await Promise.all([revoked.until("retry:"), other.until("retry:")]);
  revoke("sk_owner_0123456789abcdefgh");
  await revoked.ended;
  expect(revoked.text()).toBe("retry: 1000\n\n");
  await daybook.ingest([{ name: "b", project: "blog" }]);
  await other.until("\nid: ");
  handler.stop();
  expect(watchers.size).toBe(0);
  other.leave();
  await server.close();
  await daybook.close();
});

test("A token that was revoked unseen gets no further change, and none that is revoked on the way gets a stream.", async () => {
  const daybook = await openDaybook({ storage: memoryStorage() });
  let isValid = true;
  const streamOf = () => new ChangeStream((signal) => daybook.changes({ signal }), { project: null, isTokenValid: () => Promise.resolve(isValid) });
  const stream = streamOf();
  expect(await stream.next()).toBe("retry: 1000\n\n");
  const next = stream.next();
  isValid = false;
  await daybook.ingest([{ name: "a" }]);
  expect(await next).toBeNull();
  expect(await streamOf().next()).toBeNull();
  await daybook.close();
});
