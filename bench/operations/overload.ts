import { createRequire } from "node:module";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { acceptedPerSecond, batch, EVENTS_PER_REQUEST, requestOf, TOKENS } from "../load/batch.js";
import { Connection } from "../load/connection.js";
import { closedLoop, openLoop, quantile } from "../load/load.js";
import type { Outcome } from "../load/load.js";
import { listening, serve } from "./serve.js";

const ROUND_COUNT = 6;
const CALM_MS = 5_000;
const OVERLOADED_MS = 10_000;
const NODE_MS = 5_000;
const CALLER_COUNT = 8;
const CONNECTION_COUNT = 200;
const TIMES_CAPACITY = 10;
const STATUSES = [200, 429, 503];

const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const refusingServer = fileURLToPath(new URL("refusing-server.ts", import.meta.url));
const mean = (values: readonly number[]) => values.reduce((total, value) => total + value, 0) / values.length;
const perSecond = (count: number, { elapsedMs }: Outcome) => (count / elapsedMs) * 1_000;

/**
 * A server that is asked for ten times what it can do, with calm in between, since a machine's own pace changes in
 * minutes: what it takes in while it refuses the rest, as a share of what it takes in before and after. And what
 * `node:http` alone leaves of a thread that refuses as many of the same requests.
 */
export async function overloadFigures(directory: string) {
  const server = await serve(directory, TOKENS);
  const capacities: number[] = [];
  const shares: number[] = [];
  const goodputs: number[] = [];
  const offered: number[] = [];
  const refusedPerSecond: number[] = [];
  const refusalsMs: number[] = [];
  const calm = async () => acceptedPerSecond(checked(await closedLoop(server.port, batch, CALLER_COUNT, CALM_MS)));
  try {
    await calm();
    let before = await calm();
    for (let round = 0; round < ROUND_COUNT; round += 1) {
      const overloaded = checked(await openLoop(server.port, batch, (TIMES_CAPACITY * before) / EVENTS_PER_REQUEST, CONNECTION_COUNT, OVERLOADED_MS));
      const after = await calm();
      const capacity = mean([before, after]);
      const refused = overloaded.answers.filter(({ status }) => status !== 200);
      capacities.push(capacity);
      goodputs.push(acceptedPerSecond(overloaded));
      shares.push(acceptedPerSecond(overloaded) / capacity);
      offered.push(perSecond(overloaded.sentCount * EVENTS_PER_REQUEST, overloaded) / capacity);
      refusedPerSecond.push(perSecond(refused.length, overloaded));
      for (const { latencyMs } of refused) refusalsMs.push(latencyMs);
      before = after;
    }
  } finally {
    await server.stop();
  }
  return {
    overloadCapacityEventsPerSecond: Math.round(mean(capacities)),
    overloadOfferedTimesCapacity: mean(offered),
    overloadGoodputEventsPerSecond: Math.round(mean(goodputs)),
    overloadGoodputShare: mean(shares),
    overloadGoodputShareLeast: Math.min(...shares),
    overloadRefusedPerSecond: Math.round(mean(refusedPerSecond)),
    overloadRefusal99Ms: quantile(refusalsMs, 0.99),
    ...(await nodeHttpFigures(mean(refusedPerSecond))),
  };
}

/** What is left of a thread that parses batches beside `node:http` that refuses so many of them a second. */
async function nodeHttpFigures(refusedPerSecond: number) {
  const server = await listening(["--import", tsx, refusingServer]);
  const asking = requestOf("GET", "/", "none", "");
  const unitsDone = async () => {
    const connection = await Connection.open(server.port);
    const answer = await connection.send(asking);
    connection.close();
    if (answer?.status !== 200) throw new Error(`expected the count of what was done, got ${answer?.status ?? "no answer"}`);
    return { count: Number(answer.body), ms: performance.now() };
  };
  const unitsPerMs = async (act: () => Promise<unknown>) => {
    const before = await unitsDone();
    await act();
    const after = await unitsDone();
    return (after.count - before.count) / (after.ms - before.ms);
  };
  const calm = () => unitsPerMs(() => wait(NODE_MS));
  const shares: number[] = [];
  const refused: number[] = [];
  const refuse = async () => {
    const outcome = checked(await openLoop(server.port, batch, refusedPerSecond, CONNECTION_COUNT, NODE_MS));
    refused.push(perSecond(outcome.answers.length, outcome));
  };
  try {
    await calm();
    let before = await calm();
    for (let round = 0; round < ROUND_COUNT; round += 1) {
      const refusing = await unitsPerMs(refuse);
      const after = await calm();
      shares.push(refusing / mean([before, after]));
      before = after;
    }
  } finally {
    await server.stop();
  }
  return { overloadNodeHttpRefusedPerSecond: Math.round(mean(refused)), overloadNodeHttpShare: mean(shares), overloadNodeHttpShareLeast: Math.min(...shares) };
}

/** @throws Error when a request was lost, or answered otherwise than by taking or refusing it */
function checked(outcome: Outcome): Outcome {
  const other = outcome.answers.find(({ status }) => !STATUSES.includes(status));
  if (other !== undefined) throw new Error(`expected status ${STATUSES.join(", ")}, got ${other.status}: ${other.body}`);
  if (outcome.lostCount > 0 || outcome.answers.length === 0) throw new Error(`expected an answer to each request, got ${outcome.answers.length} to ${outcome.sentCount}`);
  return outcome;
}
