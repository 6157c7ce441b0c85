import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect, test } from "vitest";
import { acceptedCount, acceptedPerSecond, batch, EVENTS_PER_REQUEST, requestOf, TOKENS } from "../../../bench/load/batch.js";
import { Connection } from "../../../bench/load/connection.js";
import { closedLoop, openLoop, quantile } from "../../../bench/load/load.js";
import { emptyDirectory, startProgram } from "../run.js";

const SECONDS = Number(process.env["DAYBOOK_OVERLOAD_SECONDS"] ?? 10);
const MIB = 1024 * 1024;

const METRICS_TOKEN = "sk_overload_metrics_0123456789abcdefgh";
const metrics = requestOf("GET", "/metrics", METRICS_TOKEN, "");
const count = requestOf("POST", "/analytics/count-events", TOKENS[0] ?? "", "{}");

function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
}

/** What a process holds at a moment. */
interface Held {
  readonly atMs: number;
  readonly residentBytes: number;
  /** By the engine's own count: what is stored, and what is kept to answer from it. */
  readonly storedBytes: number;
}

async function held(port: number, pid: number): Promise<Held | null> {
  const asked = await Connection.open(port);
  const answer = await asked.send(metrics);
  asked.close();
  const bytes = /^daybook_memory_bytes (\d+)$/m.exec(answer?.body ?? "")?.[1];
  return bytes === undefined ? null : { atMs: performance.now(), residentBytes: residentBytes(pid), storedBytes: Number(bytes) };
}

/** What a process holds beside what is stored. */
const beside = (sample: Held | null) => (sample === null ? 0 : sample.residentBytes - sample.storedBytes);
const mostBeside = (samples: readonly Held[]) => Math.max(0, ...samples.map(beside));
const mib = (bytes = 0) => Math.round(bytes / MIB);

test("Ten times what it can do does not take a server down: it goes on at its pace, refuses the rest at once, and recovers.", async () => {
  const directory = await emptyDirectory();
  const tokens = join(directory, "tokens-of-test.json");
  await writeFile(tokens, JSON.stringify([...TOKENS, METRICS_TOKEN].map((token) => ({ token, role: "owner", scopes: ["*"] }))));
  const server = startProgram("src/cli/main.ts", ["serve", "--data", join(directory, "data"), "--port", "0", "--tokens", tokens]);
  const [, portText] = await server.said(/^daybook listening on http:\/\/\S+:(\d+)$/m);
  const port = Number(portText);
  const pid = server.child.pid ?? 0;

  const warm = await closedLoop(port, batch, 8, 3_000);
  const calm = await closedLoop(port, () => count, 1, 500);
  const calmMs = quantile(calm.answers.map(({ latencyMs }) => latencyMs), 0.5);
  const measured = await closedLoop(port, batch, 8, (SECONDS / 2) * 1_000);

  const health: (number | undefined)[] = [];
  const samples: Held[] = [];
  let isOver = false;
  const watch = (async () => {
    while (!isOver) {
      const asked = await Connection.open(port);
      health.push((await asked.send(Buffer.from("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")))?.status);
      asked.close();
      const sample = await held(port, pid);
      if (sample !== null) samples.push(sample);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  const before = await held(port, pid);
  const late = monitorEventLoopDelay({ resolution: 5 });
  late.enable();
  const overloaded = await openLoop(port, batch, (10 * acceptedPerSecond(measured)) / EVENTS_PER_REQUEST, 200, SECONDS * 1_000);
  late.disable();
  isOver = true;
  await watch;

  // Back to normal: the time until ten queries in a row are as quick as before.
  const endedMs = performance.now();
  const asking = await Connection.open(port);
  let recoveredMs = Number.POSITIVE_INFINITY;
  let quickCount = 0;
  while (quickCount < 10 && performance.now() - endedMs < 60_000) {
    const answer = await asking.send(count);
    quickCount = answer?.status === 200 && answer.latencyMs <= Math.max(50, 3 * calmMs) ? quickCount + 1 : 0;
    recoveredMs = performance.now() - endedMs;
  }
  asking.close();
  const again = await closedLoop(port, batch, 8, (SECONDS / 2) * 1_000);
  const capacity = (acceptedPerSecond(measured) + acceptedPerSecond(again)) / 2;
  // Another connection: one that nobody uses for some seconds is closed.
  const counting = await Connection.open(port);
  const stored = JSON.parse((await counting.send(count))?.body ?? "null") as { data: number };
  counting.close();

  const refused = overloaded.answers.filter(({ status }) => status !== 200);
  const acknowledged = acceptedCount(warm) + acceptedCount(measured) + acceptedCount(overloaded) + acceptedCount(again);
  const unknown = (warm.lostCount + measured.lostCount + overloaded.lostCount + again.lostCount) * EVENTS_PER_REQUEST;
  const middleMs = ((samples[0]?.atMs ?? 0) + (samples.at(-1)?.atMs ?? 0)) / 2;
  const [firstHalf, secondHalf] = [samples.filter(({ atMs }) => atMs < middleMs), samples.filter(({ atMs }) => atMs >= middleMs)];
  const figures = {
    capacityPerSecond: Math.round(capacity),
    offeredPerSecond: Math.round((overloaded.sentCount * EVENTS_PER_REQUEST) / SECONDS),
    goodputPerSecond: Math.round(acceptedPerSecond(overloaded)),
    refusedCount: refused.length,
    refusedStatuses: Object.fromEntries([429, 503].map((status) => [status, refused.filter((answer) => answer.status === status).length])),
    refusedP50Ms: Math.round(quantile(refused.map(({ latencyMs }) => latencyMs), 0.5)),
    refusedP99Ms: Math.round(quantile(refused.map(({ latencyMs }) => latencyMs), 0.99)),
    ownLateP99Ms: Math.round(late.percentile(99) / 1e6),
    lostCount: overloaded.lostCount,
    recoveredMs: Math.round(recoveredMs),
    residentMib: [before, ...samples.slice(-1)].map((sample) => mib(sample?.residentBytes)),
    storedMib: [before, ...samples.slice(-1)].map((sample) => mib(sample?.storedBytes)),
    besideMib: [beside(before), mostBeside(firstHalf), mostBeside(secondHalf)].map(mib),
    healthCount: health.length,
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);

  expect(figures.offeredPerSecond / capacity, "requests offered, as a multiple of the capacity").toBeGreaterThan(5);
  expect(figures.goodputPerSecond, "events stored meanwhile").toBeGreaterThan(0);
  expect(new Set(refused.map(({ status, retryAfter }) => `${status} ${retryAfter}`))).toEqual(new Set([...new Set(refused.map(({ status }) => status))].map((status) => `${status} 1`)));
  expect(refused.every(({ status }) => status === 429 || status === 503)).toBe(true);
  expect(quickCount, "questions in a row that are as quick as before").toBe(10);
  expect(stored.data).toBeGreaterThanOrEqual(acknowledged);
  expect(stored.data).toBeLessThanOrEqual(acknowledged + unknown);
  expect(health.every((status) => status === 200)).toBe(true);
  // What is stored grows with what is taken in. What else is held reaches a height, and stays there.
  expect(before).not.toBeNull();
  expect(samples.length).toBeGreaterThan(SECONDS / 2);
  expect(mostBeside(secondHalf) - mostBeside(firstHalf)).toBeLessThan(96 * MIB);
  expect(mostBeside(samples) - beside(before)).toBeLessThan(384 * MIB);
});
