import { acceptedCount, batch, requestOf, TOKENS } from "../load/batch.js";
import { closedLoop, openLoop, quantile } from "../load/load.js";
import type { Outcome } from "../load/load.js";
import { serve, servePlainCollector } from "./serve.js";
import type { Served } from "./serve.js";

const CONNECTION_COUNT = 64;
const CALM_MS = 5_000;
const OVERLOADED_MS = 10_000;
const TIMES_CAPACITY = 10;
const OVERLOADED_CONNECTION_COUNT = 400;
const QUERY_EVERY_MS = 100;
const VISITOR_COUNT = 5_000;
const KEY = "pk_bench";
const [OWNER = ""] = TOKENS;

const AGENTS = [
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
  "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Mobile Safari/537.36",
];

/** One page view of one of many visitors, as a browser sends it. */
function beacon(at: number): Buffer {
  const visitor = (at * 7) % VISITOR_COUNT;
  const event = { url: `https://shop.example/page/${at % 211}`, referrer: "https://news.example/", title: "A page", screen: "1280x800", language: "en", age_ms: 3 };
  const body = JSON.stringify({ key: KEY, events: [event] });
  const head = [
    "POST /v1/collect HTTP/1.1",
    "Host: stats.example",
    "Origin: https://shop.example",
    `User-Agent: ${AGENTS[visitor % AGENTS.length]}`,
    `X-Forwarded-For: 10.${visitor >> 16}.${(visitor >> 8) & 255}.${visitor & 255}`,
    "Content-Type: text/plain;charset=UTF-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

const beacons = Array.from({ length: VISITOR_COUNT }, (_, at) => beacon(at));
const beaconAt = (at: number): Buffer => beacons[at % beacons.length] ?? Buffer.alloc(0);
const query = requestOf("POST", "/v1/projects/shop/insights/web", OWNER, JSON.stringify({ interval: "day" }));
const perSecond = ({ answers, elapsedMs }: Outcome, status: number) => (answers.filter((answer) => answer.status === status).length / elapsedMs) * 1_000;

const collecting = (directory: string, args: readonly string[]) =>
  serve(directory, TOKENS, ["--trust-proxy", "127.0.0.1/8", ...args], [{ token: KEY, project: "shop", public: { origins: ["https://shop.example"] } }]);

/** @returns what came of it, and µs of processors for each beacon */
async function calmOf({ port, cpuMs }: Served): Promise<{ readonly calm: Outcome; readonly cpuUs: number }> {
  const warm = await closedLoop(port, beaconAt, CONNECTION_COUNT, CALM_MS);
  const other = warm.answers.find(({ status }) => status !== 204);
  if (other !== undefined) throw new Error(`expected status 204, got ${other.status}: ${other.body}`);
  const beforeMs = cpuMs();
  const calm = await closedLoop(port, beaconAt, CONNECTION_COUNT, CALM_MS);
  return { calm, cpuUs: Math.round(((cpuMs() - beforeMs) * 1_000) / calm.answers.length) };
}

async function calmAlone(server: Served): Promise<{ readonly capacity: number; readonly cpuUs: number }> {
  const { calm, cpuUs } = await calmOf(server);
  await server.stop();
  return { capacity: Math.round(perSecond(calm, 204)), cpuUs };
}

/**
 * Page views of browsers, one a request, each answered when it is durable: how many a second a server takes, on one core too, and the plainest
 * collector there; then, with ten times as many offered, how many it takes, and how the page's overview is answered meanwhile. Beside it the same
 * server's ingest of batches of a thousand.
 */
export async function collectFigures(directory: string) {
  const plainest = await calmAlone(await servePlainCollector(`${directory}-plain.ndjson`));
  const oneThread = await calmAlone(await collecting(`${directory}-one-thread`, ["--one-thread"]));
  const server = await collecting(directory, []);
  try {
    const { calm, cpuUs } = await calmOf(server);
    const capacity = perSecond(calm, 204);
    const alone = await openLoop(server.port, () => query, 1_000 / QUERY_EVERY_MS, 8, CALM_MS);
    const [over, asked] = await Promise.all([
      openLoop(server.port, beaconAt, TIMES_CAPACITY * capacity, OVERLOADED_CONNECTION_COUNT, OVERLOADED_MS),
      openLoop(server.port, () => query, 1_000 / QUERY_EVERY_MS, 8, OVERLOADED_MS),
    ]);
    const batches = await closedLoop(server.port, batch, 8, CALM_MS);
    const latencies = (outcome: Outcome) => outcome.answers.filter(({ status }) => status === 200).map(({ latencyMs }) => latencyMs);
    return {
      collectPerSecond: Math.round(capacity),
      collectOneThreadPerSecond: oneThread.capacity,
      collectPlainestPerSecond: plainest.capacity,
      collectCpuUs: cpuUs,
      collectOneThreadCpuUs: oneThread.cpuUs,
      collectPlainestCpuUs: plainest.cpuUs,
      collectMedianMs: quantile(calm.answers.map(({ latencyMs }) => latencyMs), 0.5),
      collectOfferedPerSecond: Math.round((over.sentCount / over.elapsedMs) * 1_000),
      collectOverloadedPerSecond: Math.round(perSecond(over, 204)),
      overviewAnsweredShareMeanwhile: latencies(asked).length / asked.sentCount,
      overviewMedianMsMeanwhile: quantile(latencies(asked), 0.5),
      overview99MsMeanwhile: quantile(latencies(asked), 0.99),
      overviewMedianMsAlone: quantile(latencies(alone), 0.5),
      ingestEventsPerSecondBeside: Math.round((acceptedCount(batches) / batches.elapsedMs) * 1_000),
    };
  } finally {
    await server.stop();
  }
}
