import { cpSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { type Daybook, openDaybook } from "daybook";
import { fileStorage } from "daybook/node";
import { clock } from "../clock.js";
import { windowOf } from "../measure.js";
import { queries } from "../queries.js";
import { trafficBatches, type TrafficEvent } from "../traffic.js";

const BATCH_ROW_COUNT = 1_000;
const BATCHES_PER_SECOND = 50;
const SECONDS = 10;
const ASKED = ["count, 30 days", "count, three filters", "unique users", "aggregate url", "search, page 1, two filters", "LTV cohorts, identity, all time"];

const percentile = (values: readonly number[], share: number) => [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? NaN;

/** Asks one query after the other, with a pause between them, until `isDone`; answers ms by query. */
async function askUntil(daybook: Daybook, isDone: () => boolean): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>();
  for (let round = 0; !isDone(); round += 1)
    for (const query of queries.filter(({ name }) => ASKED.includes(name))) {
      const startedMs = performance.now();
      await query.run(daybook, windowOf(round));
      const taken = times.get(query.name) ?? [];
      taken.push(performance.now() - startedMs);
      times.set(query.name, taken);
      await wait(1);
    }
  return times;
}

/** Events that no other run brought, on one day of the traffic after the other: late ones, so that many days have a head. */
function* freshBatches(): Generator<TrafficEvent[]> {
  for (const batch of trafficBatches({ seed: 2, eventCount: BATCH_ROW_COUNT * BATCHES_PER_SECOND * SECONDS, batchRowCount: BATCH_ROW_COUNT }))
    yield JSON.parse(JSON.stringify(batch)) as TrafficEvent[];
}

/** Queries of one process alone, and while it takes in 50,000 events a second. The slowest ratio of medians, and of the 95th percentiles. */
export async function latencyFigures(store: string) {
  const copy = `${store}-while-ingesting`;
  cpSync(store, copy, { recursive: true, filter: (path) => !path.includes("LOCK") });
  const daybook = await openDaybook({ storage: fileStorage(copy), clock });
  const batches = [...freshBatches()];
  // Columns are read, and what is kept of days is made.
  for (let round = 0; round < 30; round += 1) for (const { name, run } of queries) if (ASKED.includes(name)) await run(daybook, windowOf(round));
  const idleEndMs = performance.now() + 3_000;
  const idle = await askUntil(daybook, () => performance.now() > idleEndMs);
  let isWritten = false;
  const startedMs = performance.now();
  const writing = (async () => {
    const pending: Promise<unknown>[] = [];
    for (const [at, batch] of batches.entries()) {
      await wait(Math.max(0, startedMs + (at * 1_000) / BATCHES_PER_SECOND - performance.now()));
      pending.push(daybook.ingest(batch));
    }
    await Promise.all(pending);
    isWritten = true;
    return (batches.length * BATCH_ROW_COUNT) / ((performance.now() - startedMs) / 1_000);
  })();
  const busy = await askUntil(daybook, () => isWritten);
  const eventsPerSecond = await writing;
  await daybook.close();
  const figures: Record<string, number> = { latencyAtEventsPerSecond: Math.round(eventsPerSecond) };
  for (const name of ASKED) {
    const [alone, beside] = [idle.get(name) ?? [], busy.get(name) ?? []];
    figures[`${name}: idle ms`] = percentile(alone, 0.5);
    figures[`${name}: under ingest, ratio of medians`] = percentile(beside, 0.5) / percentile(alone, 0.5);
    figures[`${name}: under ingest, 95th percentile, ms`] = percentile(beside, 0.95);
  }
  return figures;
}
