import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Daybook, EventInput } from "daybook";
import { backgroundSealing, fileStorage } from "daybook/node";
import { openStore } from "../daybook.js";
import { HEAVY_USER_ID } from "../heavy-user.js";
import { windowOf } from "../measure.js";
import { queryNamed } from "../queries.js";
import { median } from "../table.js";
import { TRAFFIC_DAYS } from "../traffic.js";
import { Pauses } from "./pauses.js";

export interface OperationFigures {
  readonly operation: string;
  readonly tookMs: number;
  /** Of the process that answers queries. */
  readonly longestPauseMs: number;
  readonly residentBytes: number;
  /** Of queries that ran meanwhile, one after the other. */
  readonly queryCount: number;
  readonly queryMedianMs: number;
  readonly queryLongestMs: number;
}

/** Operations on a store, one after the other, while it answers queries. Its argument: the store, which it changes. */
const [path = ""] = process.argv.slice(2);
const COMPACTED_COUNT = 200_000;
const PEOPLE_COUNT = 5_000;
const QUERY_EVERY_MS = 5;
const BATCH_ROW_COUNT = 1_000;
const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const asked = ["count, three filters", "unique users", "aggregate country", "per day, browser filter, 90 days", "funnel of three steps, 30 days"].map(queryNamed);

/** New events of the last stored days, by new people: their small segments are merged with those that are there. */
async function compact(daybook: Daybook): Promise<void> {
  const lastMs = Date.parse(`${TRAFFIC_DAYS.last}T00:00:00Z`);
  for (let from = 0; from < COMPACTED_COUNT; from += BATCH_ROW_COUNT) {
    const eventAt = (at: number): EventInput => ({ name: "pageview", project: "elsewhere", createdAt: lastMs - (at % 3) * 86_400_000 + at, userId: `late-${at % PEOPLE_COUNT}`, url: `/late/${at % 100}` });
    await daybook.ingest(Array.from({ length: BATCH_ROW_COUNT }, (_, at) => eventAt(from + at)));
    if (from % (COMPACTED_COUNT / 10) === 0) await daybook.seal();
  }
  await daybook.seal();
}

async function erase({ privacyRequests }: Daybook): Promise<void> {
  const { id } = await privacyRequests.create({ type: "erasure", subject: { userId: HEAVY_USER_ID } });
  await privacyRequests.verify(id);
  await privacyRequests.acknowledge(id);
  const { receipt } = await privacyRequests.resolve(id, "completed");
  if (receipt === null || receipt.events === 0) throw new Error("expected erased events, got none");
}

async function backUp(daybook: Daybook): Promise<void> {
  await daybook.backup(fileStorage(`${path}-backup`));
}

async function verify(): Promise<void> {
  await promisify(execFile)(process.execPath, [cli, "verify", "--data", path]);
}

const operations: readonly [string, (daybook: Daybook) => Promise<void>][] = [
  ["compaction", compact],
  ["erasure of a person with events on each day", erase],
  ["backup", backUp],
  ["verify, in another process", verify],
];

async function measured(operation: string, act: () => Promise<void>, daybook: Daybook): Promise<OperationFigures> {
  const pauses = new Pauses();
  const queryMs: number[] = [];
  let [isDone, tookMs] = [false, 0];
  const operate = async () => {
    const startedMs = performance.now();
    try {
      await act();
    } finally {
      tookMs = performance.now() - startedMs;
      isDone = true;
    }
  };
  const ask = async () => {
    for (let round = 0; !isDone; round += 1) {
      const startedMs = performance.now();
      await asked[round % asked.length]?.run(daybook, windowOf(round));
      queryMs.push(performance.now() - startedMs);
      // Cached answers resolve without a turn of the event loop, which the operation needs.
      await sleep(QUERY_EVERY_MS);
    }
  };
  await pauses.watch(() => Promise.all([operate(), ask()]));
  const figures = {
    operation, tookMs, longestPauseMs: pauses.longestMs, residentBytes: process.memoryUsage.rss(),
    queryCount: queryMs.length, queryMedianMs: median(queryMs), queryLongestMs: Math.max(...queryMs),
  };
  process.stderr.write(`${JSON.stringify(figures)}\n`);
  return figures;
}

const sealWorker = backgroundSealing();
const daybook = await openStore(path, sealWorker);
for (const query of asked) await query.run(daybook, windowOf(0));
const figures: OperationFigures[] = [];
for (const [name, act] of operations) figures.push(await measured(name, () => act(daybook), daybook));
await daybook.close();
await sealWorker.close();
process.stdout.write(JSON.stringify(figures));
