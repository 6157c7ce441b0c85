import { cp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openDaybook, type Daybook } from "daybook";
import { fileStorage, openOrganizations } from "daybook/node";
import { clock } from "../clock.js";
import { ingestAll } from "../ingest.js";
import { trafficBatches } from "../traffic.js";

const ORGANIZATION_COUNT = 1_000;
const EVENT_COUNT = 10_000;
/** Different stores; the others are copies of these. */
const TEMPLATE_COUNT = 10;
const MAX_OPEN = 50;
const OPENED_COUNT = 200;
const USE_COUNT = 1_000;
const AT_A_TIME = 8;

const nameOf = (at: number) => `tenant-${at}`;
const week = { startDate: "2026-03-10", endDate: "2026-03-16" };
const query = (daybook: Daybook) => daybook.countUniqueUsers(week);

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN;
}

async function msOf(act: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await act();
  return performance.now() - startedMs;
}

async function fill(directory: string): Promise<void> {
  for (let at = 0; at < ORGANIZATION_COUNT; at += 1) {
    const path = join(directory, nameOf(at));
    if (at >= TEMPLATE_COUNT) {
      await cp(join(directory, nameOf(at % TEMPLATE_COUNT)), path, { recursive: true });
      continue;
    }
    const daybook = await openDaybook({ storage: fileStorage(path), clock });
    await ingestAll(daybook, trafficBatches({ seed: at + 1, eventCount: EVENT_COUNT, batchRowCount: 1_000 }), 1);
    await daybook.close();
  }
}

async function bytesOf(directory: string): Promise<number> {
  let sum = 0;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) sum += (await stat(join(entry.parentPath, entry.name))).size;
  return sum;
}

function collectGarbage(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Uses of random organizations, several at a time: per second. */
async function usesPerSecond(use: (name: string) => Promise<unknown>, organizationCount: number, useCount: number): Promise<number> {
  let at = 0;
  const ms = await msOf(() =>
    Promise.all(
      Array.from({ length: AT_A_TIME }, async () => {
        // A step that is coprime to the count visits all of them, far from each other.
        while (at < useCount) await use(nameOf((at++ * 389) % organizationCount));
      }),
    ),
  );
  return (useCount / ms) * 1_000;
}

/** A thousand organizations of ten thousand events: what each costs on disk, in memory, to open, and to query while few are open. */
export async function organizationFigures(directory: string) {
  await fill(directory);
  const bare: number[] = [];
  const opened: number[] = [];
  const [first, second, closing]: [number[], number[], number[]] = [[], [], []];
  const all = openOrganizations(directory, { maxOpen: OPENED_COUNT + 1, idleMs: Infinity, open: { clock } });
  const open = (name: string) => openDaybook({ storage: fileStorage(join(directory, name)), clock });
  // Code is compiled before anything counts.
  for (let at = 900; at < 920; at += 1) await (await open(nameOf(at))).close();
  await all.use(nameOf(899), query);
  const emptyBytes = collectGarbage();
  for (let at = 0; at < OPENED_COUNT; at += 1) opened.push(await msOf(async () => (await all.acquire(nameOf(at))).release()));
  const openBytes = collectGarbage();
  for (let at = 0; at < OPENED_COUNT; at += 1) {
    first.push(await msOf(() => all.use(nameOf(at), query)));
    second.push(await msOf(() => all.use(nameOf(at), query)));
  }
  const queriedBytes = collectGarbage();
  await all.close();
  for (let at = 300; at < 300 + OPENED_COUNT; at += 1) {
    let daybook: Daybook | null = null;
    bare.push(await msOf(async () => (daybook = await open(nameOf(at)))));
    closing.push(await msOf(async () => daybook?.close()));
  }
  const few = openOrganizations(directory, { maxOpen: MAX_OPEN, open: { clock }, waitMs: 60_000 });
  const use = (name: string) => few.use(name, query);
  const perSecondOverAll = await usesPerSecond(use, ORGANIZATION_COUNT, USE_COUNT);
  await usesPerSecond(use, MAX_OPEN, USE_COUNT);
  const perSecondOverOpen = await usesPerSecond(use, MAX_OPEN, USE_COUNT * 10);
  await few.close();
  const figures = {
    organizationDiskKib: (await bytesOf(directory)) / ORGANIZATION_COUNT / 1_024,
    organizationOpenMs: quantile(opened, 0.5),
    organizationOpenP95Ms: quantile(opened, 0.95),
    organizationOpenOverBareOpen: quantile(opened, 0.5) / quantile(bare, 0.5),
    organizationCloseMs: quantile(closing, 0.5),
    organizationOpenKib: (openBytes - emptyBytes) / OPENED_COUNT / 1_024,
    organizationQueriedKib: (queriedBytes - emptyBytes) / OPENED_COUNT / 1_024,
    organizationFirstQueryMs: quantile(first, 0.5),
    organizationNextQueryMs: quantile(second, 0.5),
    organizationQueriesPerSecondOverAll: perSecondOverAll,
    organizationQueriesPerSecondOverOpen: perSecondOverOpen,
  };
  await rm(directory, { recursive: true });
  return figures;
}
