import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Daybook, openDaybook } from "daybook";
import { fileStorage, backgroundSealing, type BackgroundSealing } from "daybook/node";
import { clock } from "./clock.js";
import { type Ingest, ingestAll } from "./ingest.js";
import { TRAFFIC_DAYS, type TrafficEvent } from "./traffic.js";

export const WRITER_COUNT = 4;

export interface DaybookLoad {
  readonly daybook: Daybook;
  /** By one writer who waits for each batch to be durable. */
  readonly ingestEventsPerSecond: number;
  /** With `WRITER_COUNT` batches in flight, as a server has them. */
  readonly sharedIngestEventsPerSecond: number;
  /** The same where a thread of its own makes the segments. */
  readonly threadIngestEventsPerSecond: number;
  readonly sealMs: number;
  /** From opening the stored events to the first answer, in this process. */
  readonly firstAnswerMs: number;
  readonly diskBytesPerEvent: number;
  /** As the engine estimates it, after the first answer. */
  readonly memoryBytesPerEvent: number;
}

export const openStore = (directory: string, sealWorker?: BackgroundSealing) => openDaybook({ storage: fileStorage(directory), clock, ...(sealWorker === undefined ? {} : { sealWorker }) });
const perSecond = ({ eventCount, ms }: Ingest) => Math.round((eventCount / ms) * 1_000);

function directoryByteLength(directory: string): number {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

async function load(directory: string, batches: Iterable<TrafficEvent[]>, writerCount: number, sealWorker?: BackgroundSealing) {
  const daybook = await openStore(directory, sealWorker);
  const ingest = await ingestAll(daybook, batches, writerCount);
  const startedMs = performance.now();
  await daybook.close();
  return { ingest, sealMs: performance.now() - startedMs };
}

/** A load into a store that is not looked at again. */
async function loadOnly(directory: string, batches: Iterable<TrafficEvent[]>, sealWorker?: BackgroundSealing): Promise<Ingest> {
  const { ingest } = await load(directory, batches, WRITER_COUNT, sealWorker);
  rmSync(directory, { recursive: true });
  return ingest;
}

/** Ingests the same batches into three stores, by one writer, by several, and by several with a thread for seals, and reopens the first. */
export async function loadDaybook(directory: string, batches: () => Iterable<TrafficEvent[]>): Promise<DaybookLoad> {
  const { ingest, sealMs } = await load(directory, batches(), 1);
  const shared = await loadOnly(`${directory}-shared`, batches());
  const sealWorker = backgroundSealing();
  const beside = await loadOnly(`${directory}-thread`, batches(), sealWorker);
  await sealWorker.close();

  const openStartedMs = performance.now();
  const daybook = await openStore(directory);
  await daybook.countEvents({ startDate: TRAFFIC_DAYS.first });
  const firstAnswerMs = performance.now() - openStartedMs;
  const { memoryByteLength } = await daybook.stats();
  return {
    daybook,
    ingestEventsPerSecond: perSecond(ingest),
    sharedIngestEventsPerSecond: perSecond(shared),
    threadIngestEventsPerSecond: perSecond(beside),
    sealMs,
    firstAnswerMs,
    diskBytesPerEvent: directoryByteLength(directory) / ingest.eventCount,
    memoryBytesPerEvent: memoryByteLength / ingest.eventCount,
  };
}
