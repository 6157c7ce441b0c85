import { OpenPanel } from "@openpanel/sdk";
import { openClickHouse } from "daybook/clickhouse";
import Mixpanel from "mixpanel";
import { PostHog } from "posthog-node";
import { describe, expect, onTestFinished, test } from "vitest";
import { servingOf, TOKEN, type Fault } from "../http/clients/kit.js";
import { newDatabase } from "./kit.js";

const MIDNIGHT_MS = Date.UTC(2026, 9, 14);
/** Around midnight, a ms apart. */
const STEPS = [["viewed", MIDNIGHT_MS - 2], ["added", MIDNIGHT_MS - 1], ["ordered", MIDNIGHT_MS]] as const;

/** What client libraries send is taken by the same handler as on files; its rows are on a server. */
async function onClickHouse() {
  const { options, drop } = await newDatabase("one server");
  onTestFinished(drop);
  return await servingOf(await openClickHouse(options));
}

function stored(call: (done: (error?: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => call((error) => (error === undefined || error === null ? resolve() : reject(error as Error))));
}

describe("on ClickHouse a client", () => {
  test.each<Fault[]>([["503", "503"], ["lost", "503"]])("that sends again after %s and %s keeps the times of steps, each once", async (...faults) => {
    const there = await onClickHouse();
    there.faults.push(...faults);
    const client = new PostHog(TOKEN, { host: there.url, fetchRetryDelay: 5, flushInterval: 0, flushAt: 100 });
    for (const [event, atMs] of STEPS) client.capture({ distinctId: "ann", event, timestamp: new Date(atMs) });
    await client.shutdown();
    const events = (await there.events()).map(({ name, createdAt }) => [name, Date.parse(createdAt)]);
    expect(events.sort((a, b) => Number(a[1]) - Number(b[1]))).toEqual(STEPS);
    expect(there.paths).toHaveLength(1 + faults.length);
  });

  test("without ids stores equal calls each, and once what it sends again", async () => {
    const there = await onClickHouse();
    const client = new OpenPanel({ clientId: "any", clientSecret: TOKEN, apiUrl: there.url });
    there.faults.push("lost", "lost", "lost");
    await Promise.all([1, 2, 3].map(() => client.track("a", { profileId: "u1" })));
    expect([there.paths.length, await there.daybook.countEvents({})]).toEqual([6, 3]);
  });

  test("stores 300 single calls that come at once, and a batch of 1,000, each of them once", async () => {
    const there = await onClickHouse();
    const client = Mixpanel.init(TOKEN, { host: there.host, protocol: "http", keepAlive: false } as never);
    await Promise.all(Array.from({ length: 300 }, () => stored((done) => client.track("single", { distinct_id: "u1" }, done))));
    const list = Array.from({ length: 1_000 }, () => ({ event: "listed", properties: { distinct_id: "u1" } }));
    await stored((done) => client.track_batch(list, done as never));
    expect([await there.daybook.countEvents({ eventName: "single" }), await there.daybook.countEvents({ eventName: "listed" })]).toEqual([300, 1_000]);
  });
});
