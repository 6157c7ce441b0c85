import { createInstance, Types } from "@amplitude/analytics-node";
import { OpenPanel } from "@openpanel/sdk";
import { PostHog } from "posthog-node";
import { describe, expect, it, vi } from "vitest";
import { DaybookError } from "../../../src/core/base/errors.js";
import { sliceOf } from "../../oracle/settings.js";
import { serving, TOKEN } from "./kit.js";
import type { Fault, Serving } from "./kit.js";

/** A step of a funnel, and when it was. */
type Step = readonly [name: string, atMs: number];

const MIDNIGHT_MS = Date.UTC(2026, 9, 14);
/** Around midnight, a few ms apart: less than any answer takes. */
const STEPS: readonly Step[] = [["viewed", MIDNIGHT_MS - 2], ["added", MIDNIGHT_MS - 1], ["ordered", MIDNIGHT_MS], ["paid", MIDNIGHT_MS + 1]];

async function byPosthog({ url }: Serving, steps: readonly Step[]): Promise<void> {
  const client = new PostHog(TOKEN, { host: url, fetchRetryDelay: 5, flushInterval: 0, flushAt: 100 });
  for (const [event, atMs] of steps) client.capture({ distinctId: "ann", event, timestamp: new Date(atMs) });
  await client.shutdown();
}

async function byAmplitude({ url }: Serving, steps: readonly Step[]): Promise<void> {
  const client = createInstance();
  await client.init(TOKEN, { serverUrl: `${url}/2/httpapi`, flushIntervalMillis: 100, logLevel: Types.LogLevel.None }).promise;
  await Promise.all(steps.map(([event_type, time]) => client.track({ event_type, user_id: "ann", time }).promise));
}

async function byOpenpanel({ url }: Serving, steps: readonly Step[]): Promise<void> {
  const client = new OpenPanel({ clientId: "daybook", clientSecret: TOKEN, apiUrl: url });
  for (const [name, atMs] of steps) await client.track(name, { profileId: "ann", __timestamp: new Date(atMs).toISOString() });
}

/** Posts until it is answered with 200, as the libraries do. */
async function post({ url }: Serving, bodyOf: () => string): Promise<void> {
  const headers = { authorization: `Basic ${btoa(`${TOKEN}:`)}`, "content-type": "application/json" };
  for (let isDone = false; !isDone; ) isDone = await fetch(`${url}/v1/batch`, { method: "POST", headers, body: bodyOf() }).then(({ ok }) => ok, () => false);
}

/** `@segment/analytics-node` 3.1: `sentAt` of each try, one for the batch. */
async function bySegment(there: Serving, steps: readonly Step[]): Promise<void> {
  const batch = steps.map(([event, atMs]) => ({ type: "track", event, userId: "ann", messageId: `node-${event}`, timestamp: new Date(atMs) }));
  await post(there, () => JSON.stringify({ batch, writeKey: TOKEN, sentAt: new Date() }));
}

/** `@rudderstack/rudder-sdk-node` 3.0: `sentAt` of the first try, on each call too, whose time has another name unless a program tells it. */
async function byRudderstack(there: Serving, steps: readonly Step[]): Promise<void> {
  const batch = steps.map(([event, atMs]) => ({ type: "track", event, userId: "ann", messageId: event, originalTimestamp: new Date(atMs), sentAt: new Date() }));
  const body = JSON.stringify({ batch, timestamp: new Date(), sentAt: new Date() });
  await post(there, () => body);
}

const CLIENTS = { "posthog-node": byPosthog, "@amplitude/analytics-node": byAmplitude, "@openpanel/sdk": byOpenpanel, Segment: bySegment, RudderStack: byRudderstack };
/** Where an answer is lost the batch is stored. */
const FAULTS: readonly [string, ...Fault[]][] = [["one refusal", "503"], ["two refusals", "503", "503"], ["a lost answer", "lost"], ["a lost answer and a refusal", "500 after", "503"]];

const stored = async (there: Serving): Promise<Step[]> => (await there.events()).map(({ name, createdAt }) => [name, Date.parse(createdAt)] as const);
const firstFirst = (steps: readonly Step[]): Step[] => [...steps].sort((a, b) => a[1] - b[1]);

describe.each(Object.entries(CLIENTS))("%s", (name, sendBy) => {
  it.each(sliceOf(FAULTS, 2))("keeps the times of steps, each once, after %s", async (_, ...lossless) => {
    const there = await serving();
    // Amplitude drops what has no answer at all, and sends again what has half of one.
    const faults = name.startsWith("@amplitude") ? lossless.map((fault) => (fault === "lost" ? "cut" : fault)) : lossless;
    there.faults.push(...faults);
    await sendBy(there, STEPS);
    expect(firstFirst(await stored(there))).toEqual(STEPS);
    expect(there.paths).toHaveLength((name === "@openpanel/sdk" ? STEPS.length : 1) + faults.length);
  });
});

const OF_CLOCKS = Object.entries(CLIENTS).filter(([name]) => name !== "@openpanel/sdk");

describe.each(OF_CLOCKS)("the clock of a device that sends by %s", (_, sendBy) => {
  it("is wrong where it is two hours slow: its steps come two hours later, as far apart as they were", async () => {
    const there = await serving({ clock: { now: () => Date.now() + 7_200_000 } });
    const nowMs = Date.now();
    const steps: Step[] = [["viewed", nowMs - 60_000], ["added", nowMs - 59_999], ["ordered", nowMs - 30_000]];
    await sendBy(there, steps);
    const found = firstFirst(await stored(there));
    const movedMs = (found[0]?.[1] ?? 0) - (steps[0]?.[1] ?? 0);
    expect(found).toEqual(steps.map(([name, atMs]) => [name, atMs + movedMs]));
    expect(movedMs).toBeGreaterThanOrEqual(7_200_000 - 2);
    expect(movedMs).toBeLessThan(7_200_000 + 20_000);
  });
});

describe.each(OF_CLOCKS.filter(([name]) => ["posthog-node", "RudderStack"].includes(name)))("the clock of a device that sends by %s", (_, sendBy) => {
  it("is not wrong because what was refused comes ten minutes later with the `sentAt` of its first sending", async () => {
    let skewMs = 0;
    const there = await serving({ clock: { now: () => Date.now() + skewMs } });
    const ingest = vi.spyOn(there.daybook, "ingest").mockImplementationOnce(() => {
      skewMs = 600_000;
      return Promise.reject(new DaybookError("overloaded", "later"));
    });
    await sendBy(there, STEPS);
    expect(ingest).toHaveBeenCalledTimes(2);
    expect(firstFirst(await stored(there))).toEqual(STEPS);
  });
});
