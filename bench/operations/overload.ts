import { acceptedPerSecond, batch, EVENTS_PER_REQUEST, TOKENS } from "../load/batch.js";
import { closedLoop, openLoop, quantile } from "../load/load.js";
import type { Outcome } from "../load/load.js";
import { serve } from "./serve.js";

const ROUND_COUNT = 6;
const CALM_MS = 5_000;
const OVERLOADED_MS = 10_000;
const CALLER_COUNT = 8;
const CONNECTION_COUNT = 200;
const TIMES_CAPACITY = 10;
const STATUSES = [200, 429, 503];

const mean = (values: readonly number[]) => values.reduce((total, value) => total + value, 0) / values.length;
const perSecond = (count: number, { elapsedMs }: Outcome) => (count / elapsedMs) * 1_000;

/**
 * A server that is asked for ten times what it can do, with calm in between, since a machine's own pace changes in
 * minutes: what it takes in while it refuses the rest, as a share of what it takes in before and after. And the same for a
 * server that refuses on the thread that takes in.
 */
export async function overloadFigures(directory: string) {
  const own = await overloaded(directory, []);
  const one = await overloaded(`${directory}-one-thread`, ["--one-thread"]);
  return {
    overloadCapacityEventsPerSecond: own.capacity,
    overloadOfferedTimesCapacity: own.offered,
    overloadGoodputEventsPerSecond: own.goodput,
    overloadGoodputShare: own.share,
    overloadGoodputShareLeast: own.shareLeast,
    overloadRefusedPerSecond: own.refusedPerSecond,
    overloadRefusal99Ms: own.refusal99Ms,
    overloadOneThreadGoodputShare: one.share,
    overloadOneThreadGoodputShareLeast: one.shareLeast,
    overloadOneThreadRefusal99Ms: one.refusal99Ms,
  };
}

async function overloaded(directory: string, args: readonly string[]) {
  const server = await serve(directory, TOKENS, args);
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
      const over = checked(await openLoop(server.port, batch, (TIMES_CAPACITY * before) / EVENTS_PER_REQUEST, CONNECTION_COUNT, OVERLOADED_MS));
      const after = await calm();
      const capacity = mean([before, after]);
      const refused = over.answers.filter(({ status }) => status !== 200);
      capacities.push(capacity);
      goodputs.push(acceptedPerSecond(over));
      shares.push(acceptedPerSecond(over) / capacity);
      offered.push(perSecond(over.sentCount * EVENTS_PER_REQUEST, over) / capacity);
      refusedPerSecond.push(perSecond(refused.length, over));
      for (const { latencyMs } of refused) refusalsMs.push(latencyMs);
      before = after;
    }
  } finally {
    await server.stop();
  }
  return {
    capacity: Math.round(mean(capacities)),
    offered: mean(offered),
    goodput: Math.round(mean(goodputs)),
    share: mean(shares),
    shareLeast: Math.min(...shares),
    refusedPerSecond: Math.round(mean(refusedPerSecond)),
    refusal99Ms: quantile(refusalsMs, 0.99),
  };
}

/** @throws Error when a request was lost, or answered otherwise than by taking or refusing it */
function checked(outcome: Outcome): Outcome {
  const other = outcome.answers.find(({ status }) => !STATUSES.includes(status));
  if (other !== undefined) throw new Error(`expected status ${STATUSES.join(", ")}, got ${other.status}: ${other.body}`);
  if (outcome.lostCount > 0 || outcome.answers.length === 0) throw new Error(`expected an answer to each request, got ${outcome.answers.length} to ${outcome.sentCount}`);
  return outcome;
}
