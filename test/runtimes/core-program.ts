import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync, gzipSync } from "node:zlib";
import { fixedClock, memoryStorage, openDaybook, type Daybook, type Storage } from "daybook";
import { createHandler, memoryTokens } from "daybook/http";
import { fileStorage, listen } from "daybook/node";
import { generateTraffic, storageSuite } from "daybook/testing";
import { executorSuite, type LoadExecutor } from "../support/index.js";
import { MemoryExecutor } from "../../src/engine/query/executor.js";
import { loadPast, openOn } from "../../src/engine/open-daybook.js";
import type { Executor } from "../../src/query/queries.js";

/** Runs the suites of the core without any test runner, for runtimes that have none in common. Last line: `N passed, N failed`. */
const root = mkdtempSync(join(tmpdir(), "daybook-runtime-"));
let [passedCount, failedCount, placeCount] = [0, 0, 0];

const newDirectory = () => join(root, String((placeCount += 1)));

const places: Readonly<Record<string, () => () => Promise<Storage>>> = {
  "memory storage": () => {
    const storage = memoryStorage();
    return async () => storage;
  },
  "file storage": () => {
    const directory = newDirectory();
    return async () => fileStorage(directory);
  },
};

const inMemory: LoadExecutor = async (fill, { nowMs, ...options }) => {
  const made: Executor[] = [];
  const daybook = await openOn({ ...options, storage: memoryStorage(), clock: fixedClock(nowMs) }, (store, contexts) => {
    made.push(new MemoryExecutor(store, contexts, () => undefined, loadPast));
    return made[0] as Executor;
  });
  await fill(daybook);
  await daybook.seal();
  return { executor: made[0] as Executor, close: () => daybook.close() };
};

async function run(name: string, test: () => Promise<void>): Promise<void> {
  try {
    await test();
    passedCount += 1;
  } catch (error) {
    failedCount += 1;
    console.log(`failed: ${name}\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
}

for (const [place, open] of Object.entries(places)) for (const test of storageSuite) await run(`${place}: ${test.name}`, () => test.run(open()));
for (const test of executorSuite) await run(test.name, () => test.run(inMemory));

const traffic = () => [...generateTraffic({ seed: 1, eventCount: 5_000, dayCount: 3, startMs: Date.UTC(2026, 0, 1) })];

/** Answers of three reports as one text. */
async function answersOf(daybook: Daybook): Promise<string> {
  return JSON.stringify([await daybook.countEvents(), await daybook.countUniqueUsers(), await daybook.aggregate({ field: "name", limit: 10 })]);
}

function expectSame(got: unknown, expected: unknown): void {
  if (got !== expected) throw new Error(`expected ${String(expected).slice(0, 500)}, got ${String(got).slice(0, 500)}`);
}

await run("events are there beside the journal alone, behind a seal, and in the next opening", async () => {
  const directory = newDirectory();
  const first = await openDaybook({ storage: fileStorage(directory) });
  await first.ingest(traffic());
  const expected = await answersOf(first);
  expectSame(await first.countEvents(), 5_000);
  const reader = await openDaybook({ storage: fileStorage(directory), readOnly: true });
  expectSame(await answersOf(reader), expected);
  await reader.close();
  const second = await openDaybook({ storage: fileStorage(directory) }).then(() => "opened", (error: unknown) => (error as { code?: string }).code);
  expectSame(second, "store_locked");
  await first.seal();
  expectSame(await answersOf(first), expected);
  await first.close();
  const next = await openDaybook({ storage: fileStorage(directory) });
  expectSame(await answersOf(next), expected);
  await next.close();
});

await run("a server on a socket takes events and answers", async () => {
  const daybook = await openDaybook({ storage: memoryStorage() });
  const server = await listen(createHandler({ organizations: { default: daybook }, tokens: memoryTokens([{ token: "sk_owner_0123456789abcdefgh", role: "owner", scopes: ["*"] }]) }));
  const ask = async (path: string, body: unknown) => {
    const headers = { authorization: "Bearer sk_owner_0123456789abcdefgh", "content-type": "application/json" };
    const response = await fetch(`${server.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return `${response.status} ${await response.text()}`;
  };
  const taken = await ask("/v1/events", traffic().slice(0, 500));
  if (!taken.startsWith("200 ")) throw new Error(taken);
  const answer = await ask("/analytics/count-events", {});
  if (!answer.includes("500")) throw new Error(answer);
  await server.close();
  await daybook.close();
});

await run("the members of a gzip body are one body, and nothing may stand behind the end of a stream", async () => {
  const daybook = await openDaybook({ storage: memoryStorage() });
  const handle = createHandler({ organizations: { default: daybook }, tokens: memoryTokens([{ token: "sk_owner_0123456789abcdefgh", role: "owner", scopes: ["*"] }]) });
  const statusOf = async (encoding: string, ...parts: Uint8Array[]) => {
    const headers = { authorization: "Bearer sk_owner_0123456789abcdefgh", "content-type": "application/json", "content-encoding": encoding };
    return (await handle(new Request("http://localhost/analytics/count-events", { method: "POST", headers, body: Buffer.concat(parts) }))).status;
  };
  expectSame(await statusOf("gzip", gzipSync("{")), 400);
  expectSame(await statusOf("gzip", gzipSync("{"), gzipSync("}")), 200);
  expectSame(await statusOf("gzip", gzipSync("{}"), Uint8Array.of(0)), 400);
  expectSame(await statusOf("deflate", deflateSync("{}")), 200);
  expectSame(await statusOf("deflate", deflateSync("{}"), deflateSync("{}")), 400);
  await daybook.close();
});

rmSync(root, { recursive: true, force: true });
console.log(`${passedCount} passed, ${failedCount} failed`);
process.exitCode = failedCount === 0 ? 0 : 1;
