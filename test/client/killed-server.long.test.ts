import { expect, test } from "vitest";
import { connectDaybook } from "../../src/client/index.js";
import { emptyDirectory } from "../cli/run.js";
import { serve, TOKEN } from "./serve.js";

test("While a server is killed again and again, what a client stores is stored once and all of it.", async () => {
  const directory = await emptyDirectory();
  const first = await serve(directory);
  let { server } = first;
  const client = connectDaybook({ url: first.url, token: TOKEN, retry: { attempts: 100, baseMs: 20, maxMs: 200 } });
  let isOver = false;
  const batches: number[] = [];
  const writing = [0, 1, 2].map(async (writer) => {
    while (!isOver) {
      const size = 1 + (batches.length % 7);
      const { accepted, duplicates, rejected } = await client.ingest(Array.from({ length: size }, (_, at) => ({ name: `${writer}`, metadata: { at } })));
      // A batch whose answer was lost is known when it comes again.
      expect([accepted + duplicates, rejected]).toEqual([size, []]);
      batches.push(size);
    }
  });
  for (let kill = 0; kill < 5; kill += 1) {
    const before = batches.length;
    while (batches.length < before + 20) await new Promise((resolve) => setTimeout(resolve, 1));
    server.child.kill("SIGKILL");
    await server.finished;
    ({ server } = await serve(directory, first.port));
  }
  const before = batches.length;
  while (batches.length < before + 20) await new Promise((resolve) => setTimeout(resolve, 1));
  isOver = true;
  await Promise.all(writing);
  expect(await client.countEvents()).toBe(batches.reduce((sum, size) => sum + size, 0));
  await client.close();
  server.child.kill("SIGTERM");
  expect((await server.finished).code).toBe(0);
}, 600_000);
