import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createHandler, memoryTokens, type TokenEntry } from "../../../src/http/index.js";
import { openOrganizations, type Organizations, type OrganizationsOptions } from "../../../src/platform/node/index.js";
import { emptyDirectory } from "../../cli/run.js";
import { codeOf, send } from "../../http/kit.js";
import { settled } from "./fake-time.js";

const NAMES = Array.from({ length: 20 }, (_, at) => `tenant-${at}`);
const tokenOf = (name: string) => `sk_${name}_0123456789abcdefgh`;

/** A handler over organizations of which the nth has n events. */
async function serving(options: OrganizationsOptions, organizationCount = 10) {
  const directory = await emptyDirectory();
  const organizations = openOrganizations(directory, options);
  const entries: TokenEntry[] = [...NAMES, "nowhere"].map((organization) => ({ token: tokenOf(organization), role: "owner", scopes: ["*"], organization }));
  const handler = createHandler({ organizations, tokens: memoryTokens(entries) });
  for (const [at, name] of NAMES.slice(0, organizationCount).entries()) {
    await organizations.create(name);
    await organizations.use(name, (daybook) => daybook.ingest(Array.from({ length: at }, () => ({ name: "view", userId: "u" }))));
  }
  onTestFinished(async () => {
    handler.stop();
    await organizations.close();
  });
  const count = (name: string) => send(handler, "/v1/query/countEvents", { token: tokenOf(name), body: {} });
  return { directory, organizations, handler, count };
}

const changesOf = (name: string) =>
  new Request(`http://localhost/v1/projects/default/changes`, { headers: { authorization: `Bearer ${tokenOf(name)}` } });

it("answers for twenty organizations, of which three are open at a time", async () => {
  const { organizations, handler, count } = await serving({ maxOpen: 3, waitMs: 60_000 }, 20);
  const answers = await Promise.all([...NAMES, ...NAMES].map(count));
  expect(answers.map(({ json }) => json)).toEqual([...NAMES, ...NAMES].map((_, at) => ({ answer: at % NAMES.length })));
  expect(organizations.opened().length).toBeLessThanOrEqual(3);
  await Promise.all(NAMES.map((name) => send(handler, "/v1/events", { token: tokenOf(name), body: { events: [{ name: "view", user_id: "u" }] } })));
  const later = await Promise.all(NAMES.map(count));
  expect(later.map(({ json }) => json)).toEqual(NAMES.map((_, at) => ({ answer: at + 1 })));
  expect((await send(handler, "/healthz", { method: "GET" })).json).toEqual({ status: "ok" });
});

it("answers for others while a damaged organization cannot be opened", async () => {
  const { directory, organizations, count } = await serving({ maxOpen: 1 });
  expect(organizations.opened().length).toBe(1);
  await writeFile(join(directory, "tenant-3", "MANIFEST"), "{");
  const [damaged, whole, again] = [await count("tenant-3"), await count("tenant-4"), await count("tenant-3")];
  expect([damaged.status, codeOf(damaged), whole.json, codeOf(again)]).toEqual([500, "corruption", { answer: 4 }, "corruption"]);
});

it("knows no organization that does not exist, and makes none", async () => {
  const { organizations, count } = await serving({});
  const answer = await count("nowhere");
  expect([answer.status, codeOf(answer), await organizations.has("nowhere")]).toEqual([401, "invalid_token", false]);
});

it("ends streams of changes whose organizations give way to others, and no stream before", async () => {
  const { handler, count } = await serving({ maxOpen: 3 });
  const readers: ReadableStreamDefaultReader<Uint8Array>[] = [];
  for (const name of NAMES.slice(0, 3)) {
    const { body } = await handler(changesOf(name));
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("retry: 1000\n\n");
    readers.push(reader);
  }
  expect((await count("tenant-1")).json).toEqual({ answer: 1 });
  expect((await count("tenant-9")).json).toEqual({ answer: 9 });
  // The stream of the organization that was used longest ago, and no other.
  const [oldest, ...others] = readers;
  expect((await oldest?.read())?.done).toBe(true);
  const more = others.map((reader) => reader.read().then(() => "more"));
  expect(await Promise.race([...more, settled().then(() => "waits")])).toBe("waits");
  await Promise.all(readers.map((reader) => reader.cancel()));
});

it("opens an organization for a signed token only once its signature is verified", async () => {
  const opened: string[] = [];
  let organizations: Organizations | null = null;
  const watched = { has: async (name: string) => (await organizations?.has(name)) ?? false };
  const world = await serving({ maxOpen: 2 });
  organizations = world.organizations;
  const token = await organizations.use("tenant-5", (daybook) => daybook.signScope({}, { expiresIn: "1h", organization: "tenant-5" }));
  const foreign = await organizations.use("tenant-6", (daybook) => daybook.signScope({}, { expiresIn: "1h", organization: "tenant-5" }));
  await organizations.use("tenant-7", () => undefined);
  await organizations.use("tenant-8", () => undefined);
  const real = organizations;
  const handler = createHandler({
    organizations: {
      ...watched,
      acquire: (name, options) => {
        opened.push(name);
        return real.acquire(name, options);
      },
      opened: () => real.opened(),
      verifyScopeToken: (name, value) => real.verifyScopeToken(name, value),
    },
    tokens: memoryTokens([]),
  });
  onTestFinished(() => handler.stop());
  const query = (value: string) => send(handler, "/v1/query/countEvents", { token: value, body: {} });
  const forged = `${token.slice(0, -4)}AAAA`;
  expect([codeOf(await query(forged)), codeOf(await query(foreign)), opened]).toEqual(["invalid_token", "invalid_token", []]);
  expect([(await query(token)).json, opened]).toEqual([{ answer: 5 }, ["tenant-5"]]);
});

it("opens no organization for page events that it does not store", async () => {
  const { organizations } = await serving({ maxOpen: 1 }, 2);
  const key = { token: "pk_0123456789abcdefghijkl", organization: "tenant-0", project: "web", public: { origins: ["https://shop.example"], ids: [] } } as const;
  const collect = { isBot: (userAgent: string) => userAgent.includes("bot"), honorGpc: true, perAddressBurst: 1, perAddressPerSec: 0.001 };
  const handler = createHandler({ organizations, tokens: memoryTokens([key]), collect, address: (request) => request.headers.get("x-from") ?? undefined });
  onTestFinished(() => handler.stop());
  const [tenant1] = organizations.opened();
  const collected = async (address: string, headers: Record<string, string> = {}, event: object = { name: "view" }) => {
    const body = JSON.stringify({ key: key.token, events: [event] });
    const sent = { "content-type": "text/plain", origin: "https://shop.example", "x-from": address, ...headers };
    const { status } = await handler(new Request("http://localhost/v1/collect", { method: "POST", headers: sent, body }));
    return [status, organizations.opened()[0] === tenant1];
  };
  expect(await collected("192.0.2.1", { "user-agent": "a bot" })).toEqual([204, true]);
  expect(await collected("192.0.2.2", { "sec-purpose": "prefetch" })).toEqual([204, true]);
  expect(await collected("192.0.2.3", { "sec-gpc": "1" })).toEqual([204, true]);
  expect(await collected("192.0.2.4", {}, { name: 1 })).toEqual([400, true]);
  expect(await collected("192.0.2.4")).toEqual([429, true]);
  expect(await collected("192.0.2.5")).toEqual([204, false]);
  expect(await organizations.use("tenant-0", (daybook) => daybook.countEvents({}))).toBe(1);
});

it("opens no organization for a request whose body is not there yet, and none for its token", async () => {
  const { organizations, handler } = await serving({ maxOpen: 1 }, 2);
  const [tenant1] = organizations.opened();
  let end = () => undefined as void;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      end = () => {
        controller.enqueue(new TextEncoder().encode("{}"));
        controller.close();
      };
    },
  });
  const headers = { authorization: `Bearer ${tokenOf("tenant-0")}`, "content-type": "application/json" };
  const slow = handler(new Request("http://localhost/v1/query/countEvents", { method: "POST", headers, body, duplex: "half" } as RequestInit));
  const token = await handler(new Request("http://localhost/v1/token", { headers }));
  expect([token.status, await token.json()]).toEqual([200, { organization: "tenant-0", project: null, role: "owner", scopes: ["*"] }]);
  for (const wrong of ["{", '{"nothing":1}']) expect((await handler(new Request("http://localhost/v1/events", { method: "POST", headers, body: wrong }))).status).toBe(400);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(organizations.opened()[0]).toBe(tenant1);
  end();
  expect(await (await slow).json()).toEqual({ answer: 0 });
  expect(organizations.opened()[0]).not.toBe(tenant1);
});
