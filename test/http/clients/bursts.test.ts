import { createInstance, Types } from "@amplitude/analytics-node";
import { OpenPanel } from "@openpanel/sdk";
import { Umami } from "@umami/node";
import Mixpanel from "mixpanel";
import { PostHog } from "posthog-node";
import { describe, expect, it } from "vitest";
import { startProgram } from "../../cli/run.js";
import { longTest } from "../../long-test.js";
import { sliceOf } from "../../oracle/settings.js";
import { CLI } from "../../program-names.js";
import { TOKEN } from "./kit.js";

/** Sends so many events, all at once, one request each. Resolves when it knows of each that it is stored. */
type Burst = (url: string, count: number) => Promise<unknown>;

const each = (count: number, send: (nth: number) => Promise<unknown>) => Promise.all(Array.from({ length: count }, (_, nth) => send(nth)));

function mixpanelOf(url: string): Mixpanel.Mixpanel {
  return Mixpanel.init(TOKEN, { host: new URL(url).host, protocol: "http", keepAlive: false } as never);
}

function stored(call: (done: (error?: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => call((error) => (error === undefined || error === null ? resolve() : reject(error as Error))));
}

function posthogOf(url: string, flushAt: number): PostHog {
  return new PostHog(TOKEN, { host: url, flushAt, maxQueueSize: 10_000, flushInterval: 0 });
}

async function amplitudeOf(url: string, flushQueueSize: number) {
  const client = createInstance();
  await client.init(TOKEN, { serverUrl: `${url}/2/httpapi`, flushQueueSize, flushIntervalMillis: 20, logLevel: Types.LogLevel.None }).promise;
  return client;
}

async function post(url: string, path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"rejected":[]')]);
}

/** Equal calls where the library has no ids: each is an event of its own. */
const SINGLE: Readonly<Record<string, Burst>> = {
  mixpanel: (url, count) => each(count, () => stored((done) => mixpanelOf(url).track("burst", { distinct_id: "u1" }, done))),
  "posthog-node": (url, count) => {
    const client = posthogOf(url, 1);
    return each(count, () => client.captureImmediate({ distinctId: "u1", event: "burst" }));
  },
  "@umami/node": async (url, count) => {
    const client = new Umami({ hostUrl: url, websiteId: TOKEN });
    expect(new Set((await each(count, async () => (await client.track("burst")).status)) as number[])).toEqual(new Set([200]));
  },
  "@amplitude/analytics-node": async (url, count) => {
    const clients = await Promise.all(Array.from({ length: count }, () => amplitudeOf(url, 1)));
    await Promise.all(clients.map((client) => client.track("burst", {}, { user_id: "u1" }).promise));
  },
  "@openpanel/sdk": (url, count) => {
    const client = new OpenPanel({ clientId: "any", clientSecret: TOKEN, apiUrl: url });
    return each(count, () => client.track("burst", { profileId: "u1" }));
  },
  "POST /v1/events": (url, count) => each(count, () => post(url, "/v1/events", { events: [{ name: "burst", userId: "u1" }] })),
  Segment: (url, count) => each(count, (nth) => post(url, "/v1/track", { event: "burst", userId: "u1", messageId: `m${nth}`, sentAt: new Date() })),
};

const BATCH: Readonly<Record<string, Burst>> = {
  mixpanel: (url, count) => stored((done) => mixpanelOf(url).track_batch(Array.from({ length: count }, () => ({ event: "burst", properties: { distinct_id: "u1" } })), done as never)),
  "posthog-node": async (url, count) => {
    const client = posthogOf(url, count);
    for (let nth = 0; nth < count; nth += 1) client.capture({ distinctId: "u1", event: "burst" });
    await client.shutdown();
  },
  "@amplitude/analytics-node": async (url, count) => {
    const client = await amplitudeOf(url, count);
    await each(count, () => client.track("burst", {}, { user_id: "u1" }).promise);
  },
  Segment: (url, count) =>
    post(url, "/v1/batch", { batch: Array.from({ length: count }, (_, nth) => ({ type: "track", event: "burst", userId: "u1", messageId: `m${nth}` })), sentAt: new Date() }),
};

async function countOf(url: string): Promise<number> {
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  for (;;) {
    const response = await fetch(`${url}/analytics/count-events`, { method: "POST", headers, body: '{"event_name":"burst"}' });
    // A query may be refused while the server is busy.
    if (response.status === 200) return ((await response.json()) as { data: number }).data;
  }
}

async function served(): Promise<string> {
  const server = startProgram(CLI, ["serve", "--memory", "--port", "0", "--quiet", "--no-page"], { env: { DAYBOOK_TOKEN: TOKEN } });
  const [, url = ""] = await server.said(/listening on (\S+)/);
  return url;
}

describe("daybook serve", () => {
  it.each(sliceOf(Object.entries(SINGLE), 2))("stores 300 single calls of %s that come at once, each of them once", { timeout: 60_000 }, async (_, burst) => {
    const url = await served();
    await burst(url, 300);
    expect(await countOf(url)).toBe(300);
  });

  it.each(sliceOf(Object.entries(BATCH), 2))("stores a batch of 1,000 events of %s, each of them once", { timeout: 60_000 }, async (_, burst) => {
    const url = await served();
    await burst(url, 1_000);
    expect(await countOf(url)).toBe(1_000);
  });

  longTest("stores 300 single calls of each of three libraries that come at the same time: as many as there may be connections", async () => {
    const url = await served();
    await Promise.all([SINGLE["mixpanel"], SINGLE["@umami/node"], SINGLE["@openpanel/sdk"]].map((burst) => burst?.(url, 300)));
    expect(await countOf(url)).toBe(900);
  });
});
