import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { trafficBatches } from "../traffic.js";
import { serve } from "./serve.js";

const EVENT_COUNT = 200_000;
const CONNECTION_COUNT = 16;
const SECONDS = 5;
/** Half of what a server is to answer on one core. */
const HALF_RATE_PER_SECOND = 5_000;
const RETRY_MS = 100;
const TOKEN = `sk_${"bench".repeat(8)}`;

function requestText(path: string, body: string): string {
  return [`POST ${path} HTTP/1.1`, "host: localhost", `authorization: Bearer ${TOKEN}`, "content-type: application/json", `content-length: ${Buffer.byteLength(body)}`, "", body].join("\r\n");
}

/** Sends the requests over sixteen connections, each the next one after its answer; answers their ms. What is refused for load is sent again. */
async function load(port: number, next: () => string | null): Promise<number[]> {
  const times: number[] = [];
  const run = async () => {
    const socket = connect(port, "127.0.0.1").setNoDelay(true);
    await once(socket, "connect");
    for (let request = next(); request !== null; request = next()) {
      const startedMs = performance.now();
      socket.write(request);
      while ((await statusOf(socket)) === 503) {
        await sleep(RETRY_MS);
        socket.write(request);
      }
      times.push(performance.now() - startedMs);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: CONNECTION_COUNT }, run));
  return times;
}

/** Sends a request when it is due, whether or not those before are answered; answers the ms of each from when it was due. */
async function loadAtRate(port: number, request: string, perSecond: number): Promise<number[]> {
  const times: number[] = [];
  const startedMs = performance.now();
  let dueCount = 0;
  const run = async () => {
    const socket = connect(port, "127.0.0.1").setNoDelay(true);
    await once(socket, "connect");
    for (;;) {
      const dueMs = startedMs + (dueCount++ * 1_000) / perSecond;
      if (dueMs > startedMs + SECONDS * 1_000) break;
      const aheadMs = dueMs - performance.now();
      if (aheadMs > 0) await sleep(aheadMs);
      // Timers are true to a millisecond only, either way.
      const fromMs = Math.min(dueMs, performance.now());
      socket.write(request);
      await statusOf(socket);
      times.push(performance.now() - fromMs);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: CONNECTION_COUNT }, run));
  return times;
}

/** Reads one answer to its end. @throws Error for any status but 200 and 503 */
function statusOf(socket: ReturnType<typeof connect>): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = "";
    const fail = (error: Error) => reject(error);
    const take = (chunk: Buffer) => {
      text += chunk.toString("latin1");
      const headEnd = text.indexOf("\r\n\r\n");
      const byteLength = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? NaN);
      if (headEnd === -1 || !(text.length >= headEnd + 4 + byteLength)) return;
      socket.off("data", take).off("error", fail);
      const status = Number(text.slice(9, 12));
      if (status === 200 || status === 503) resolve(status);
      else reject(new Error(`expected status 200, got ${text.slice(0, 300)}`));
    };
    socket.on("data", take);
    socket.once("error", fail);
  });
}

const percentile = (values: readonly number[], share: number) => [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? NaN;

/** Ingest in batches of 1,000, then counts of 30 days, over sixteen connections. The client needs a core of its own. */
export async function httpFigures(directory: string) {
  const writer = await serve(directory, [TOKEN]);
  const writes = [...trafficBatches({ seed: 1, eventCount: EVENT_COUNT, batchRowCount: 1_000 })].map((events) => requestText("/v1/events", JSON.stringify({ events }))).values();
  const startedMs = performance.now();
  await load(writer.port, () => writes.next().value ?? null);
  const ingestEventsPerSecond = Math.round((EVENT_COUNT / (performance.now() - startedMs)) * 1_000);
  // What was taken in is sealed at the stop.
  await writer.stop();
  const own = await counted(directory, []);
  const one = await counted(directory, ["--one-thread"]);
  return {
    httpIngestEventsPerSecond: ingestEventsPerSecond,
    httpCountsPerSecond: own.perSecond,
    httpCountMedianMs: own.medianMs,
    httpCount99Ms: own.p99Ms,
    httpCount99MsAtHalf: own.p99MsAtHalf,
    httpOneThreadCountsPerSecond: one.perSecond,
    httpOneThreadCountMedianMs: one.medianMs,
    httpOneThreadCount99Ms: one.p99Ms,
    httpOneThreadCount99MsAtHalf: one.p99MsAtHalf,
  };
}

async function counted(directory: string, args: readonly string[]) {
  const server = await serve(directory, [TOKEN], args);
  const query = requestText("/analytics/count-events", JSON.stringify({ start_date: "2026-01-20", end_date: "2026-02-18" }));
  const endingAt = (ms: number) => () => (performance.now() < ms ? query : null);
  await load(server.port, endingAt(performance.now() + 1_000));
  const times = await load(server.port, endingAt(performance.now() + SECONDS * 1_000));
  const timesAtHalf = await loadAtRate(server.port, query, HALF_RATE_PER_SECOND);
  await server.stop();
  return { perSecond: Math.round(times.length / SECONDS), medianMs: percentile(times, 0.5), p99Ms: percentile(times, 0.99), p99MsAtHalf: percentile(timesAtHalf, 0.99) };
}
