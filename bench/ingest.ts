import type { Daybook } from "daybook";
import type { TrafficEvent } from "./traffic.js";

export interface Ingest {
  readonly eventCount: number;
  readonly ms: number;
}

/** So many batches lie ready when the time starts, so that generating them is not counted. */
const readyBatchCount = 60;

/** Events as they come out of a request: texts that a template put together would be copied by whoever reads them first. */
const received = (batch: TrafficEvent[]) => JSON.parse(JSON.stringify(batch)) as TrafficEvent[];

/** What takes events in. */
type Taker = { ingest(events: readonly TrafficEvent[]): ReturnType<Daybook["ingest"]> };

/** Hands over batch after batch of those that the other writers have not taken. */
async function write(taker: Taker, batches: Iterable<TrafficEvent[]>): Promise<void> {
  for (const batch of batches) {
    const { accepted, rejected } = await taker.ingest(batch);
    if (accepted !== batch.length) throw new Error(`expected ${batch.length} accepted events, got ${accepted}: ${JSON.stringify(rejected[0])}`);
  }
}

/** Ingests every batch durably, with as many of them in flight at a time as there are writers. */
export async function ingestAll(taker: Taker, batches: Iterable<TrafficEvent[]>, writerCount: number): Promise<Ingest> {
  let [eventCount, ms] = [0, 0];
  let ready: TrafficEvent[][] = [];
  const writeReady = async () => {
    const taken = ready.values();
    const startedMs = performance.now();
    await Promise.all(Array.from({ length: writerCount }, () => write(taker, taken)));
    ms += performance.now() - startedMs;
    eventCount += ready.reduce((sum, batch) => sum + batch.length, 0);
    ready = [];
  };
  for (const batch of batches) {
    ready.push(received(batch));
    if (ready.length === readyBatchCount) await writeReady();
  }
  await writeReady();
  return { eventCount, ms };
}
