import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { loadDaybook, openStore } from "./daybook.js";
import { withFirst } from "./first.js";
import { LiveTraffic } from "./live.js";
import { type Measurement, measure } from "./measure.js";
import { chdbLoader } from "./peers/chdb.js";
import { loadDuckdb } from "./peers/duckdb.js";
import type { LoadPeer, PeerKey, PeerLoad } from "./peers/peer.js";
import { sqliteIngestEventsPerSecond } from "./peers/sqlite.js";
import { profile } from "./profile.js";
import { LIVE_RATIO_BAR, queries } from "./queries.js";
import { hardware, writeResult } from "./results.js";
import { geometricMean, geometricMeanByEngine, loadingTable, measurementTable, ms, times } from "./table.js";
import { trafficBatches } from "./traffic.js";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "9" },
    seed: { type: "string", default: "1" },
    directory: { type: "string", default: tmpdir() },
    /** Some of `loaders`, with commas between. */
    peers: { type: "string", default: "duckdb" },
    /** Only queries whose name contains one of these, with commas between. */
    only: { type: "string", default: "" },
    /** A store of these events that is there already: a copy of it is asked, and loading is not measured. */
    store: { type: "string", default: "" },
    /** Shows where the time of the queries goes that miss their bars. */
    profile: { type: "boolean", default: false },
  },
});

function wholeNumber(name: "events" | "rounds" | "seed"): number {
  const value = values[name].replaceAll(/[_,]/g, "");
  if (!/^[1-9]\d*$/.test(value)) throw new Error(`--${name}: expected a whole number from 1, got ${values[name]}`);
  return Number(value);
}

const loaders: Readonly<Record<PeerKey, () => Promise<LoadPeer>>> = { duckdb: () => Promise.resolve(loadDuckdb), chdb: chdbLoader };

const isPeerKey = (name: string): name is PeerKey => name in loaders;

function peerKeys(): PeerKey[] {
  const names = [...new Set(values.peers.split(","))];
  const keys = names.filter(isPeerKey);
  if (keys.length < names.length) throw new Error(`--peers: expected some of ${Object.keys(loaders).join(",")}, got ${values.peers}`);
  return keys;
}

const [eventCount, roundCount, seed] = [wholeNumber("events"), wholeNumber("rounds"), wholeNumber("seed")];
const askedPeers = peerKeys();
const directory = mkdtempSync(join(values.directory, "daybook-bench-"));
const batches = () => trafficBatches({ seed, eventCount, batchRowCount: 1_000 });
const say = (text: string) => void process.stdout.write(`${text}\n`);

async function run(): Promise<void> {
  const machine = hardware();
  const count = eventCount.toLocaleString("en");
  say(`${count} events, seed ${seed}; ${machine.cpuModel}, ${machine.coreCount} cores, ${machine.memoryGib} GiB, Node ${machine.nodeVersion}`);
  // Before the events are made: a peer that is not installed says so at once.
  const peerLoaders = await Promise.all(askedPeers.map((key) => loaders[key]()));
  const store = join(directory, "daybook");
  if (values.store !== "") cpSync(values.store, store, { recursive: true });
  const { daybook, ...daybookLoad } = values.store === "" ? await loadDaybook(store, batches) : { daybook: await openStore(store) };
  const loads: PeerLoad[] = [];
  for (const load of peerLoaders) loads.push(await load(directory, batches()));
  const peers = loads.flatMap((load) => load.peers);
  const sqliteEventsPerSecond = values.store === "" ? await sqliteIngestEventsPerSecond(join(directory, "events.sqlite"), batches()) : null;
  if ("sealMs" in daybookLoad) say(loadingTable(daybookLoad, loads, sqliteEventsPerSecond));
  const live = new LiveTraffic(daybook);
  await live.begin();
  const asked: Measurement[] = [];
  const profiles: string[] = [];
  const wanted = values.only.split(",");
  for (const query of queries.filter(({ name }) => wanted.some((part) => name.includes(part)))) {
    const measurement = await measure(query, daybook, peers, live, roundCount);
    asked.push(measurement);
    // Over many events a query takes minutes.
    process.stderr.write(`${query.name}: ${ms(measurement.daybookMs)} ms warm, ${times(measurement.ratio)}\n`);
    if (values.profile && measurement.liveRatio < LIVE_RATIO_BAR) profiles.push(await profile(query, daybook));
  }
  await daybook.close();
  for (const load of loads) load.close();
  const measurements = asked.map((measurement) => withFirst(measurement, store));
  say(`\n${measurementTable(measurements, loads)}`);
  for (const text of profiles) say(`\n${text}`);
  say("\nAll answers are equal.");
  if (values.only !== "" || values.store !== "") return;
  const path = writeResult({
    eventCount,
    seed,
    roundCount,
    hardware: machine,
    daybook: daybookLoad,
    ...Object.fromEntries(loads.map(({ key, appendEventsPerSecond, diskBytesPerEvent }) => [key, { appendEventsPerSecond, diskBytesPerEvent }])),
    sqliteEventsPerSecond,
    geometricMeanRatio: geometricMean(measurements.map(({ ratio }) => ratio)),
    geometricMeanLiveRatio: geometricMean(measurements.map(({ liveRatio }) => liveRatio)),
    geometricMeanFirstRatio: geometricMean(measurements.map(({ firstRatio }) => firstRatio)),
    geometricMeanRatioByEngine: geometricMeanByEngine(measurements, loads),
    measurements,
  });
  say(`Written to ${relative(process.cwd(), path)}.`);
}

try {
  await run();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
