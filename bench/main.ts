import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { loadDaybook, WRITER_COUNT } from "./daybook.js";
import { type Measurement, measure } from "./measure.js";
import { loadDuckdb } from "./peers/duckdb.js";
import { sqliteIngestEventsPerSecond } from "./peers/sqlite.js";
import { profile } from "./profile.js";
import { questions } from "./questions.js";
import { hardware, writeResult } from "./results.js";
import { geometricMean, measurementTable, table } from "./table.js";
import { trafficBatches } from "./traffic.js";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "9" },
    seed: { type: "string", default: "1" },
    directory: { type: "string", default: tmpdir() },
    /** Only questions whose name contains this. */
    only: { type: "string", default: "" },
    /** Shows where the time of the questions goes that miss their bars. */
    profile: { type: "boolean", default: false },
  },
});

function wholeNumber(name: "events" | "rounds" | "seed"): number {
  const value = values[name].replaceAll(/[_,]/g, "");
  if (!/^[1-9]\d*$/.test(value)) throw new Error(`--${name}: expected a whole number from 1, got ${values[name]}`);
  return Number(value);
}

const [eventCount, roundCount, seed] = [wholeNumber("events"), wholeNumber("rounds"), wholeNumber("seed")];
const directory = mkdtempSync(join(values.directory, "daybook-bench-"));
const batches = () => trafficBatches({ seed, eventCount, batchRowCount: 1_000 });
const say = (text: string) => void process.stdout.write(`${text}\n`);

async function run(): Promise<void> {
  const machine = hardware();
  const count = eventCount.toLocaleString("en");
  say(`${count} events, seed ${seed}; ${machine.cpuModel}, ${machine.coreCount} cores, ${machine.memoryGib} GiB, Node ${machine.nodeVersion}`);
  const { daybook, ...daybookLoad } = await loadDaybook(join(directory, "daybook"), batches);
  const { peers, ...duckdbLoad } = await loadDuckdb(join(directory, "events.duckdb"), batches());
  const sqliteEventsPerSecond = await sqliteIngestEventsPerSecond(join(directory, "events.sqlite"), batches());
  const whole = (value: number) => Math.round(value).toLocaleString("en");
  say(
    table([
      ["loading", "Daybook", "DuckDB", "SQLite"],
      [
        "events/s (1,000 per sync; DuckDB: appender, in memory)",
        whole(daybookLoad.ingestEventsPerSecond),
        whole(duckdbLoad.appendEventsPerSecond),
        sqliteEventsPerSecond === null ? "not installed" : whole(sqliteEventsPerSecond),
      ],
      [`events/s, ${WRITER_COUNT} batches of 1,000 in flight`, whole(daybookLoad.sharedIngestEventsPerSecond), "", ""],
      ["bytes on disk per event", daybookLoad.diskBytesPerEvent.toFixed(1), duckdbLoad.diskBytesPerEvent.toFixed(1), ""],
      ["bytes in memory per event, by its own estimate", daybookLoad.memoryBytesPerEvent.toFixed(1), "", ""],
      ["close, ms", whole(daybookLoad.sealMs), "", ""],
      ["open and first answer, ms", whole(daybookLoad.firstAnswerMs), "", ""],
    ]),
  );
  const measurements: Measurement[] = [];
  const profiles: string[] = [];
  for (const question of questions.filter(({ name }) => name.includes(values.only))) {
    const measurement = await measure(question, daybook, peers, roundCount);
    measurements.push(measurement);
    if (values.profile && !measurement.isMet) profiles.push(await profile(question, daybook));
  }
  await daybook.close();
  say(`\n${measurementTable(measurements, peers.map(({ name }) => name))}`);
  for (const text of profiles) say(`\n${text}`);
  const geometricMeanRatio = geometricMean(measurements.map(({ ratio }) => ratio));
  say("\nAll answers are equal.");
  if (values.only !== "") return;
  const path = writeResult({ eventCount, seed, roundCount, hardware: machine, daybook: daybookLoad, duckdb: duckdbLoad, sqliteEventsPerSecond, geometricMeanRatio, measurements });
  say(`Written to ${relative(process.cwd(), path)}.`);
}

try {
  await run();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
