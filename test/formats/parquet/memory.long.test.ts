import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openDaybook } from "daybook";
import { fileStorage } from "daybook/node";
import { generateTraffic } from "daybook/testing";
import { expect, test } from "vitest";
import { load } from "../../../src/cli/load.js";
import type { ImportRow } from "../../../src/cli/read/row.js";
import { CLI } from "../../program-names.js";
import { emptyDirectory, startProgram } from "../../cli/run.js";

const EVENT_COUNT = 300_000;
const KIB_PER_MIB = 1024;
/** What an export, and an import, may have above a command that only opens the store. */
const OUT_MIB = 190;
const IN_MIB = 230;

/** Told at the end of a program: its most resident KiB, as Linux counts those of it alone, or as any system counts. */
const TELL_PEAK = `
  import { readFileSync } from "node:fs";
  const ofLinux = () => /^VmHWM:\\s+(\\d+)/m.exec(readFileSync("/proc/self/status", "latin1"))[1];
  const kib = () => process.platform === "linux" ? ofLinux() : process.resourceUsage().maxRSS;
  process.on("exit", () => process.stderr.write("peak " + kib() + " KiB\\n"));
`;
const FLAGS = ["--import", `data:text/javascript,${encodeURIComponent(TELL_PEAK)}`];

/** The most memory that a command had resident, in MiB. */
async function peakOf(...args: string[]): Promise<number> {
  const { code, stderr } = await startProgram(CLI, args, { flags: FLAGS }).finished;
  expect(stderr).not.toContain("Error");
  expect(code).toBe(0);
  return Number(/^peak (\d+) KiB$/m.exec(stderr)?.[1]) / KIB_PER_MIB;
}

async function* traffic(): AsyncGenerator<ImportRow[]> {
  let rows: ImportRow[] = [];
  let line = 0;
  for (const event of generateTraffic({ seed: 3, eventCount: EVENT_COUNT, dayCount: 3, startMs: Date.UTC(2026, 1, 1) })) {
    rows.push({ line: (line += 1), event });
    if (rows.length < 5_000) continue;
    yield await Promise.resolve(rows);
    rows = [];
  }
}

test("300,000 events go out as Parquet and in again, the same bytes each time, with little more memory than an opened store has", async () => {
  const directory = await emptyDirectory();
  const [data, again] = [join(directory, "data"), join(directory, "again")];
  const store = await openDaybook({ storage: fileStorage(data) });
  expect(await load(store, traffic())).toMatchObject({ accepted: EVENT_COUNT });
  await store.close();
  const [file, second] = [join(directory, "first.parquet"), join(directory, "second.parquet")];
  const openedMib = await peakOf("stats", "--data", data);
  const outMib = await peakOf("export", "--data", data, "--events-only", "--out", file);
  const inMib = await peakOf("import", "--data", again, file);
  await peakOf("export", "--data", again, "--events-only", "--out", second);
  expect(Buffer.compare(await readFile(file), await readFile(second))).toBe(0);
  expect({ openedMib, outMib, inMib, isOutFlat: outMib - openedMib < OUT_MIB, isInFlat: inMib - openedMib < IN_MIB })
    .toMatchObject({ isOutFlat: true, isInFlat: true });
});
