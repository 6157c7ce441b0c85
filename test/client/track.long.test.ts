import { expect, test } from "vitest";
import { connectDaybook } from "../../src/client/index.js";
import { emptyDirectory } from "../cli/run.js";
import { serve, TOKEN } from "./serve.js";

const EVENT_COUNT = 100_000;
/** Of 10,000 that the queue takes. */
const UNFLUSHED_COUNT = 9_000;
const SIGNALS = ["SIGTERM", "SIGTERM", "SIGKILL", "SIGTERM"] as const;

test("Of 100,000 tracked events each is stored once, though the server is restarted three times and killed once meanwhile.", async () => {
  const directory = await emptyDirectory();
  const first = await serve(directory);
  let { server } = first;
  const faults: string[] = [];
  const onError = ({ message }: Error, events: readonly unknown[]) => faults.push(`${message} ${events.length}`);
  const client = connectDaybook({ url: first.url, token: TOKEN, track: { onError } });
  const restart = async (signal: NodeJS.Signals) => {
    server.child.kill(signal);
    await server.finished;
    ({ server } = await serve(directory, first.port));
  };
  let restarting = Promise.resolve();
  for (let n = 0; n < EVENT_COUNT; n += 1) {
    client.track({ name: `${n % 7}`, userId: `u${n % 1_000}`, metadata: { n } });
    const signal = SIGNALS[Math.floor(n / (EVENT_COUNT / 5)) - 1];
    if (n % (EVENT_COUNT / 5) === 0 && signal !== undefined) restarting = restarting.then(() => restart(signal));
    if (n % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    if (n % UNFLUSHED_COUNT === 0) await client.flush();
  }
  await client.close();
  await restarting;
  const reader = connectDaybook({ url: first.url, token: TOKEN });
  const times = new Uint8Array(EVENT_COUNT);
  const ids = new Set<string>();
  for await (const { id, metadata } of reader.exportEvents()) {
    const n = (metadata as { n: number }).n;
    times[n] = (times[n] ?? 0) + 1;
    ids.add(id);
  }
  expect([faults, times.filter((count) => count !== 1).length, ids.size]).toEqual([[], 0, EVENT_COUNT]);
  await reader.close();
  server.child.kill("SIGTERM");
  expect((await server.finished).code).toBe(0);
}, 600_000);
