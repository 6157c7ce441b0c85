import { openDaybook, type EventInput } from "daybook";
import { opfsStorage } from "daybook/browser";
import { generateTraffic } from "daybook/testing";

const BATCH_ROW_COUNT = 1_000;
const WRITER_COUNT = 4;

function* batchesOf(events: Iterable<EventInput>): Generator<EventInput[]> {
  let batch: EventInput[] = [];
  for (const event of events) {
    batch.push(event);
    if (batch.length < BATCH_ROW_COUNT) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Fills a store with generated traffic, four batches in flight, and closes it. Answers how long the ingest took, in ms. */
export async function fillStore(store: string, eventCount: number): Promise<number> {
  const daybook = await openDaybook({ storage: opfsStorage(store) });
  const batches = batchesOf(generateTraffic({ seed: 1, eventCount }));
  const startedMs = performance.now();
  const write = async () => {
    for (let next = batches.next(); next.done !== true; next = batches.next()) await daybook.ingest(next.value);
  };
  await Promise.all(Array.from({ length: WRITER_COUNT }, write));
  const ms = performance.now() - startedMs;
  await daybook.close();
  return ms;
}

/** Opens a store and counts all of its events: ms until it is open, and until the first answer. */
export async function timeOpening(store: string, readOnly: boolean): Promise<{ readonly openedMs: number; readonly answeredMs: number; readonly count: number }> {
  const startedMs = performance.now();
  const daybook = await openDaybook({ storage: opfsStorage(store), readOnly });
  const openedMs = performance.now() - startedMs;
  const count = await daybook.countEvents();
  const answeredMs = performance.now() - startedMs;
  await daybook.close();
  return { openedMs, answeredMs, count };
}
