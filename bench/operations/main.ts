import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { memoryStorage, openDaybook, type DaybookOptions } from "daybook";
import { fileStorage, backgroundSealing } from "daybook/node";
import { clock } from "../clock.js";
import { ingestAll } from "../ingest.js";
import type { Ingest } from "../ingest.js";
import { hardware, writeResult } from "../results.js";
import { table } from "../table.js";
import { trafficBatches } from "../traffic.js";
import { browserFigures } from "./browser.js";
import { collectFigures } from "./collect.js";
import { historyFigures } from "./history.js";
import { httpFigures } from "./http.js";
import { importFigures } from "./import.js";
import { latencyFigures } from "./latency.js";
import { organizationFigures } from "./organizations.js";
import { overloadFigures } from "./overload.js";
import { PlainestStore } from "./plainest.js";
import { pageFigures } from "./page.js";
import { parquetFigures } from "./parquet.js";
import { budgetFigures } from "./budget.js";
import { residentFigures } from "./resident.js";
import { stopFigures } from "./stop.js";
import { replayFigures } from "./replay.js";
import { trackFigures } from "./track.js";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "1000000" },
    directory: { type: "string", default: tmpdir() },
    /** Events as stored by an earlier run, not removed afterwards. */
    store: { type: "string" },
    /** Some of the sections, with commas between. */
    only: { type: "string" },
  },
});
const eventCount = Number(values.events);
if (!Number.isInteger(eventCount) || eventCount < 1) throw new Error(`--events: expected a whole number from 1, got ${values.events}`);

const directory = mkdtempSync(join(values.directory, "daybook-bench-"));
const WRITER_COUNT = 4;
const MEMORY_EVENT_COUNT = 1_000_000;
const MEMORY_ROUND_COUNT = 3;
const say = (text: string) => void process.stdout.write(`${text}\n`);

/** Plain objects into memory, four batches of 1,000 in flight, with and without a thread for seals, in turn with a store that does the least: means of three runs each, after one that does not count. */
async function memoryIngestFigures() {
  const batches = () => trafficBatches({ seed: 1, eventCount: Math.min(eventCount, MEMORY_EVENT_COUNT), batchRowCount: 1_000 });
  const sealWorker = backgroundSealing();
  const runs: Record<"own" | "thread" | "plainest", Ingest[]> = { own: [], thread: [], plainest: [] };
  const into = async (options: Partial<DaybookOptions>) => {
    const daybook = await openDaybook({ storage: memoryStorage(), clock, ...options });
    const ingest = await ingestAll(daybook, batches(), WRITER_COUNT);
    await daybook.close();
    return ingest;
  };
  for (let round = -1; round < MEMORY_ROUND_COUNT; round += 1) {
    const ingests = { own: await into({}), thread: await into({ sealWorker }), plainest: await ingestAll(new PlainestStore(), batches(), WRITER_COUNT) };
    if (round < 0) continue;
    runs.own.push(ingests.own);
    runs.thread.push(ingests.thread);
    runs.plainest.push(ingests.plainest);
  }
  await sealWorker.close();
  const perSecond = (ingests: readonly Ingest[]) => {
    const total = (of: (run: Ingest) => number) => ingests.reduce((sum, run) => sum + of(run), 0);
    return Math.round((total((run) => run.eventCount) / total(({ ms }) => ms)) * 1_000);
  };
  return {
    memoryIngestEventsPerSecond: perSecond(runs.own),
    memoryIngestEventsPerSecondWithThread: perSecond(runs.thread),
    plainestIngestEventsPerSecond: perSecond(runs.plainest),
  };
}

async function fill(path: string): Promise<void> {
  const daybook = await openDaybook({ storage: fileStorage(path), clock });
  await ingestAll(daybook, trafficBatches({ seed: 1, eventCount, batchRowCount: 1_000 }), WRITER_COUNT);
  await daybook.close();
}

async function run(): Promise<void> {
  const machine = hardware();
  say(`${eventCount.toLocaleString("en")} events; ${machine.cpuModel}, ${machine.coreCount} cores, Node ${machine.nodeVersion}`);
  const store = values.store ?? join(directory, "store");
  const sections: Readonly<Record<string, { readonly needsStore: boolean; readonly figures: () => Promise<Record<string, number>> }>> = {
    memory: { needsStore: false, figures: memoryIngestFigures },
    import: { needsStore: false, figures: importFigures },
    replay: { needsStore: false, figures: () => replayFigures(join(directory, "replay")) },
    budget: { needsStore: true, figures: () => budgetFigures(store) },
    resident: { needsStore: true, figures: () => residentFigures(store, eventCount) },
    parquet: { needsStore: true, figures: () => parquetFigures(store, directory) },
    beside: { needsStore: true, figures: () => latencyFigures(store) },
    stop: { needsStore: true, figures: () => stopFigures(store) },
    page: { needsStore: true, figures: () => pageFigures(store) },
    history: { needsStore: false, figures: historyFigures },
    organizations: { needsStore: false, figures: () => organizationFigures(join(directory, "organizations")) },
    track: { needsStore: false, figures: () => trackFigures(join(directory, "tracked")) },
    http: { needsStore: false, figures: () => httpFigures(join(directory, "served")) },
    collect: { needsStore: false, figures: () => collectFigures(join(directory, "collected")) },
    browser: { needsStore: false, figures: browserFigures },
    overload: { needsStore: false, figures: () => overloadFigures(join(directory, "overloaded")) },
  };
  const names = values.only?.split(",") ?? Object.keys(sections);
  const unknown = names.find((name) => !Object.hasOwn(sections, name));
  if (unknown !== undefined) throw new Error(`--only: expected some of ${Object.keys(sections).join(",")}, got ${unknown}`);
  if (values.store === undefined && names.some((name) => sections[name]?.needsStore === true)) await fill(store);
  const figures: Record<string, number> = {};
  for (const name of names) Object.assign(figures, await sections[name]?.figures());
  say(table([["figure", "value"], ...Object.entries(figures).map(([name, value]) => [name, value.toLocaleString("en", { maximumFractionDigits: 2 })])]));
  say(`Written to ${relative(process.cwd(), writeResult({ eventCount, hardware: machine, operations: figures }))}.`);
}

try {
  await run();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
