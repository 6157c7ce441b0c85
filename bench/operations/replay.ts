import { cpSync } from "node:fs";
import { openDaybook } from "daybook";
import { fileStorage } from "daybook/node";
import { clock } from "../clock.js";
import { ingestAll } from "../ingest.js";
import { trafficBatches } from "../traffic.js";

/** As many as a journal holds before its rows are sealed. */
const EVENT_COUNT = 200_000;
const ROUND_COUNT = 3;

/** Opens what a process leaves that is killed: a journal without any segment. The best of some rounds. */
export async function replayFigures(directory: string) {
  const daybook = await openDaybook({ storage: fileStorage(directory), clock });
  await ingestAll(daybook, trafficBatches({ seed: 1, eventCount: EVENT_COUNT, batchRowCount: 1_000 }), 1);
  if ((await daybook.stats()).segmentCount > 0) throw new Error("expected a journal alone, some of it was sealed");
  let bestMs = Infinity;
  for (let round = 0; round < ROUND_COUNT; round += 1) {
    const copy = `${directory}-${round}`;
    cpSync(directory, copy, { recursive: true, filter: (path) => !path.includes("LOCK") });
    const startedMs = performance.now();
    const reopened = await openDaybook({ storage: fileStorage(copy), clock });
    bestMs = Math.min(bestMs, performance.now() - startedMs);
    const count = await reopened.countEvents();
    if (count !== EVENT_COUNT) throw new Error(`expected ${EVENT_COUNT} events after the replay, got ${count}`);
    await reopened.close();
  }
  await daybook.close();
  return { replayEventsPerSecond: Math.round((EVENT_COUNT / bestMs) * 1_000) };
}
