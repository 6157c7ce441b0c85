import { fork } from "node:child_process";
import { once } from "node:events";
import { PerformanceObserver } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { backgroundSealing } from "daybook/node";
import { openStore, WRITER_COUNT } from "../daybook.js";
import type { TrafficEvent } from "../traffic.js";
import { Pauses } from "./pauses.js";

export interface IngestLogLine {
  readonly eventCount: number;
  /** Without the time in which events were awaited or parsed. */
  readonly ingestMs: number;
  /** Since the line before. */
  readonly longestPauseMs: number;
  /** The longest garbage collection since the line before. */
  readonly longestCollectionMs: number;
  readonly residentBytes: number;
}

export interface LargeIngest {
  readonly log: readonly IngestLogLine[];
  readonly closeMs: number;
}

/** Ingests generated events with several batches in flight and a thread for seals. Its arguments: the store, the number of events. */
const [path = "", events = ""] = process.argv.slice(2);
const eventCount = Number(events);
const LOG_LINE_COUNT = 20;
const AHEAD_COUNT = 16;

const sealWorker = backgroundSealing();
const daybook = await openStore(path, sealWorker);
const traffic = fork(fileURLToPath(new URL("traffic-child.ts", import.meta.url)), [events], { serialization: "advanced" });
const texts: (string | null)[] = [];
let isFinished = false;
traffic.on("exit", () => {
  if (!isFinished) throw new Error("the process that generates events ended early");
});
traffic.on("message", (text: string | null) => texts.push(text));
for (let at = 0; at < AHEAD_COUNT; at += 1) traffic.send("next");

async function nextBatch(): Promise<TrafficEvent[] | null> {
  while (texts.length === 0) await once(traffic, "message");
  traffic.send("next");
  const text = texts.shift() ?? null;
  return text === null ? null : (JSON.parse(text) as TrafficEvent[]);
}

let longestCollectionMs = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) longestCollectionMs = Math.max(longestCollectionMs, duration);
}).observe({ entryTypes: ["gc"] });
const log: IngestLogLine[] = [];
let [ingestedCount, ingestMs, pauses] = [0, 0, new Pauses()];
for (let isEnd = false; !isEnd; ) {
  const batches: TrafficEvent[][] = [];
  while (batches.length < WRITER_COUNT && !isEnd) {
    const batch = await nextBatch();
    if (batch === null) isEnd = true;
    else batches.push(batch);
  }
  const startedMs = performance.now();
  const results = await pauses.watch(() => Promise.all(batches.map((batch) => daybook.ingest(batch))));
  ingestMs += performance.now() - startedMs;
  const acceptedCount = results.reduce((sum, { accepted }) => sum + accepted, 0);
  const sentCount = batches.reduce((sum, batch) => sum + batch.length, 0);
  if (acceptedCount !== sentCount) throw new Error(`expected ${sentCount} accepted events, got ${acceptedCount}`);
  ingestedCount += sentCount;
  if (!isEnd && ingestedCount < ((log.length + 1) * eventCount) / LOG_LINE_COUNT) continue;
  const line = { eventCount: ingestedCount, ingestMs, longestPauseMs: pauses.longestMs, longestCollectionMs, residentBytes: process.memoryUsage.rss() };
  if (line.eventCount > (log.at(-1)?.eventCount ?? 0)) log.push(line);
  process.stderr.write(`${JSON.stringify(line)}\n`);
  [pauses, longestCollectionMs] = [new Pauses(), 0];
}
const startedMs = performance.now();
await daybook.close();
await sealWorker.close();
isFinished = true;
traffic.kill();
process.stdout.write(JSON.stringify({ log, closeMs: performance.now() - startedMs } satisfies LargeIngest));
