import { createRequire } from "node:module";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { acceptedPerSecond, batch, EVENTS_PER_REQUEST, requestOf, TOKENS } from "../load/batch.js";
import { Connection } from "../load/connection.js";
import { closedLoop, openLoop, quantile } from "../load/load.js";
import { listening, serve } from "./serve.js";

const ROUND_COUNT = 6;
const CALM_MS = 5_000;
const OVERLOADED_MS = 10_000;
const NODE_MS = 5_000;
const CALLER_COUNT = 8;
const CONNECTION_COUNT = 200;
const TIMES_CAPACITY = 10;

const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const refusingServer = fileURLToPath(new URL("refusing-server.ts", import.meta.url));
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]) => sum(values) / values.length;

/**
 * A server that is asked for ten times what it can do, with calm in between, since a machine's own pace changes in
 * minutes: what it takes in while it refuses the rest, as a share of what it takes in before and after. And what
 * `node:http` alone leaves of a thread that refuses as many of the same requests.
 */
export async function overloadFigures(directory: string) {
  const server = await serve(directory, TOKENS);
  const capacity = async () => acceptedPerSecond(await closedLoop(server.port, batch, CALLER_COUNT, CALM_MS));
  await capacity();
  const capacities = [await capacity()];
  const shares: number[] = [];
  const goodputs: number[] = [];
  const refusedPerSecond: number[] = [];
  const refusalMs: number[] = [];
  for (let round = 0; round < ROUND_COUNT; round += 1) {
    const before = capacities.at(-1) ?? NaN;
    const overloaded = await openLoop(server.port, batch, (TIMES_CAPACITY * before) / EVENTS_PER_REQUEST, CONNECTION_COUNT, OVERLOADED_MS);
    const after = await capacity();
    const refused = overloaded.answers.filter(({ status }) => status !== 200);
    capacities.push(after);
    goodputs.push(acceptedPerSecond(overloaded));
    shares.push(acceptedPerSecond(overloaded) / mean([before, after]));
    refusedPerSecond.push((refused.length / overloaded.elapsedMs) * 1_000);
    for (const { latencyMs } of refused) refusalMs.push(latencyMs);
  }
  await server.stop();
  return {
    overloadCapacityEventsPerSecond: Math.round(mean(capacities)),
    overloadGoodputEventsPerSecond: Math.round(mean(goodputs)),
    overloadGoodputShare: mean(shares),
    overloadGoodputShareLeast: Math.min(...shares),
    overloadRefusedPerSecond: Math.round(mean(refusedPerSecond)),
    overloadRefusal99Ms: quantile(refusalMs, 0.99),
    overloadNodeHttpShare: await nodeHttpShare(mean(refusedPerSecond)),
  };
}

/** What is left of a thread beside `node:http` that refuses so many batches a second. */
async function nodeHttpShare(refusedPerSecond: number): Promise<number> {
  const server = await listening(["--import", tsx, refusingServer]);
  const asking = requestOf("GET", "/", "", "");
  const unitsDone = async () => {
    const connection = await Connection.open(server.port);
    const answer = await connection.send(asking);
    connection.close();
    return { count: Number(answer?.body), ms: performance.now() };
  };
  const unitsPerMs = async (act: () => Promise<unknown>) => {
    const before = await unitsDone();
    await act();
    const after = await unitsDone();
    return (after.count - before.count) / (after.ms - before.ms);
  };
  const calm = () => unitsPerMs(() => wait(NODE_MS));
  await calm();
  const paces = [await calm()];
  const shares: number[] = [];
  for (let round = 0; round < ROUND_COUNT; round += 1) {
    const before = paces.at(-1) ?? NaN;
    const refusing = await unitsPerMs(() => openLoop(server.port, batch, refusedPerSecond, CONNECTION_COUNT, NODE_MS));
    const after = await calm();
    paces.push(after);
    shares.push(refusing / mean([before, after]));
  }
  await server.stop();
  return mean(shares);
}
