import { openDaybook, type Daybook } from "daybook";
import { connectDaybook, type DaybookClient } from "daybook/client";
import { fileStorage } from "daybook/node";
import { clock } from "../clock.js";
import { trafficBatches, type TrafficEvent } from "../traffic.js";
import { serve } from "./serve.js";

const BATCH_ROW_COUNT = 1_000;
const ROUND_COUNT = 40;
/** Rounds that do not count: code is compiled, and the queue is loaded. */
const WARM_ROUND_COUNT = 10;
const TOKEN = `sk_${"bench".repeat(8)}`;

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

async function msOf(act: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await act();
  return performance.now() - startedMs;
}

/** One `ingest` of a thousand events, and in turn a thousand calls of `track` and a flush. */
async function compared(daybook: Pick<Daybook | DaybookClient, "ingest" | "track" | "flush">) {
  const batches = trafficBatches({ seed: 3, eventCount: BATCH_ROW_COUNT * ROUND_COUNT * 2, batchRowCount: BATCH_ROW_COUNT });
  const next = () => JSON.parse(JSON.stringify(batches.next().value)) as TrafficEvent[];
  const [ingestMs, trackMs, callMs]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUND_COUNT; round += 1) {
    const [batch, single] = [next(), next()];
    ingestMs.push(await msOf(() => daybook.ingest(batch)));
    trackMs.push(await msOf(async () => {
      callMs.push(await msOf(() => Promise.resolve(single.forEach((event) => daybook.track(event)))));
      await daybook.flush();
    }));
  }
  const [ingest, track, calls] = [ingestMs, trackMs, callMs].map((all) => median(all.slice(WARM_ROUND_COUNT)));
  return { ingest: ingest ?? NaN, track: track ?? NaN, calls: calls ?? NaN };
}

/** Ms of a thousand events at once and one by one, until they are durable: in this process, and in a server of its own. The target is three times. */
export async function trackFigures(directory: string) {
  const daybook = await openDaybook({ storage: fileStorage(`${directory}-own`), clock });
  const own = await compared(daybook);
  await daybook.close();
  const server = await serve(`${directory}-served`, [TOKEN]);
  const client = connectDaybook({ url: `http://127.0.0.1:${server.port}`, token: TOKEN });
  const remote = await compared(client);
  await client.close();
  await server.stop();
  return {
    ingestThousandMs: own.ingest,
    trackThousandMs: own.track,
    trackThousandCallsMs: own.calls,
    trackOverIngest: own.track / own.ingest,
    clientIngestThousandMs: remote.ingest,
    clientTrackThousandMs: remote.track,
    clientTrackThousandCallsMs: remote.calls,
    clientTrackOverIngest: remote.track / remote.ingest,
  };
}
