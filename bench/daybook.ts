import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Daybook, openDaybook } from "daybook";
import { fileStorage } from "daybook/node";
import { TRAFFIC_DAYS, type TrafficEvent } from "./traffic.js";

export interface DaybookLoad {
  readonly daybook: Daybook;
  readonly ingestEventsPerSecond: number;
  readonly sealMs: number;
  /** From opening the stored events to the first answer, in this process. */
  readonly firstAnswerMs: number;
  readonly diskBytesPerEvent: number;
  /** As the engine estimates it, after the first answer. */
  readonly memoryBytesPerEvent: number;
}

/** The instant after the last event, so that no event lies in the future. */
const clock = { now: () => Date.parse(`${TRAFFIC_DAYS.last}T23:59:59.999Z`) + 1 };

function directoryByteLength(directory: string): number {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Ingests every batch durably, one after the other; only the time inside `ingest` counts. Then reopens the store. */
export async function loadDaybook(directory: string, batches: Iterable<TrafficEvent[]>): Promise<DaybookLoad> {
  const open = () => openDaybook({ storage: fileStorage(directory), clock });
  const loading = await open();
  let [eventCount, ingestMs] = [0, 0];
  for (const batch of batches) {
    const startedMs = performance.now();
    const { accepted, rejected } = await loading.ingest(batch);
    ingestMs += performance.now() - startedMs;
    if (accepted !== batch.length) throw new Error(`expected ${batch.length} accepted events, got ${accepted}: ${JSON.stringify(rejected[0])}`);
    eventCount += accepted;
  }
  const sealStartedMs = performance.now();
  await loading.close();
  const sealMs = performance.now() - sealStartedMs;

  const openStartedMs = performance.now();
  const daybook = await open();
  await daybook.countEvents({ startDate: TRAFFIC_DAYS.first });
  const firstAnswerMs = performance.now() - openStartedMs;
  const { memoryByteLength } = await daybook.stats();
  return {
    daybook,
    ingestEventsPerSecond: Math.round((eventCount / ingestMs) * 1_000),
    sealMs,
    firstAnswerMs,
    diskBytesPerEvent: directoryByteLength(directory) / eventCount,
    memoryBytesPerEvent: memoryByteLength / eventCount,
  };
}
