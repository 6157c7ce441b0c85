import { openDaybook, verifyStore } from "../../index.js";
import { fileStorage } from "../../platform/node/index.js";
import { MANIFEST_KEY, decodeManifest } from "../../store/files/manifest.js";
import { flags, printLockWait, readArguments, required } from "../command.js";
import { TOKENS_KEY, dataDirectory, type DataDirectory } from "../../platform/node/data-directory.js";
import { directoryOf, organizationOf, requireDirectory } from "../organizations.js";
import { CLICKHOUSE_HELP, isOnClickHouse, LOCATION_OPTIONS, verifyOnClickHouse } from "../on-clickhouse.js";
import { bytes, count, plural, printLine } from "../print/format.js";
import { storedTokens } from "../token-store.js";

export const help = `Usage: daybook verify --data DIR [--organization NAME] [--salvage]
       daybook verify --clickhouse URL --database NAME [--cluster NAME] [--user NAME]

Checks every stored byte and every invariant of the stored data, without changing anything; also while "serve" runs.
Each finding names the file, what was expected and what was found. Exits 1 if there are findings.

On ClickHouse it checks that every server has the tables of this version; with CHECK TABLE, every file of the server
that answers, so on a cluster run it with the URL of each server; and that each id is stored once, that events are on
their shard, that links and projects match the rows, and that counts by a filter equal those of one scan. Mismatches
are checked again three seconds later. The user needs the CHECK privilege.

  --data DIR            data directory or store
${CLICKHOUSE_HELP}  --organization NAME   only this one
  --salvage             move damaged files to "quarantine/", build a store from the rest, and report what was lost; not
                        while "serve" runs. Exits 0 if the rest is intact.
`;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, { ...LOCATION_OPTIONS, ...flags("salvage") }, false);
  if (isOnClickHouse(values, { data: values.data, organization: values.organization, salvage: values.salvage })) return await verifyOnClickHouse(values);
  const path = required(values.data, "data");
  const onlyName = values.organization === undefined ? null : organizationOf(values.organization);
  const data = await dataDirectory(path);
  requireDirectory(data);
  if (onlyName !== null) directoryOf(data, onlyName);
  const names = onlyName === null ? data.names : data.names.filter((name) => name === onlyName);
  if (names.length === 0) throw new Error(`${path}: there is no organization ${onlyName === null ? "" : `${JSON.stringify(onlyName)} `}here`);
  let findingCount = await verifyTokens(path);
  for (const name of names) {
    if (values.salvage === true) await salvage(data, name);
    findingCount += await verifyOne(data, name);
  }
  for (const entry of data.unrelated) printLine(`${entry}: not an organization (harmless)`);
  if (findingCount > 0) throw new Error(`${path}: ${plural(findingCount, "finding")}`);
}

async function salvage(data: DataDirectory, name: string): Promise<void> {
  const storage = fileStorage(directoryOf(data, name), { onLockWait: printLockWait });
  const manifest = await storage.read(MANIFEST_KEY);
  const knownCount = manifest === null ? 0 : (decodeManifest(manifest).quarantined?.length ?? 0);
  const daybook = await openDaybook({ storage, onCorruption: "quarantine" });
  const { quarantine } = await daybook.stats();
  await daybook.close();
  for (const { key, byteLength, reason, lost } of quarantine.slice(knownCount)) {
    printLine(`${name}/${key}: moved to quarantine (${bytes(byteLength)}): ${reason}`);
    for (const { day, eventCount } of lost) printLine(`${name}/${key}: lost ${plural(eventCount, "event")} of ${day ?? "unknown days"}`);
  }
}

async function verifyOne(data: DataDirectory, name: string): Promise<number> {
  const startMs = performance.now();
  const report = await verifyStore(fileStorage(directoryOf(data, name)));
  const seconds = Math.max(performance.now() - startMs, 1) / 1_000;
  for (const { file, expected, found } of report.findings) printLine(`${name}/${file}: expected ${expected}, found ${found}`);
  const hiddenCount = report.findingCount - report.findings.length;
  if (hiddenCount > 0) printLine(`${name}: ${count(hiddenCount)} more findings in these files`);
  // In a single store, the token file lies beside the files of the store, and `verifyTokens` has checked it already.
  const isTokenNote = (note: string) => data.kind === "store" && note.startsWith(`${TOKENS_KEY}: `);
  for (const note of report.notes) if (!isTokenNote(note)) printLine(`${name}/${note} (harmless)`);
  if (report.skippedFileCount > 0) printLine(`${name}: ${count(report.skippedFileCount)} files were replaced by a writer before they were read (harmless)`);
  const inJournal = report.journalEventCount === 0 ? "" : `, of which ${count(report.journalEventCount)} in the journal`;
  const contents = `${plural(report.eventCount, "event")} of ${plural(report.dayCount, "day")}${inJournal}, ${plural(report.recordCount, "record")}`;
  const read = `${plural(report.fileCount, "file")}, ${bytes(report.byteLength)} at ${Math.round(report.byteLength / seconds / 1e6)} MB/s`;
  printLine(`${name}: ${report.findingCount === 0 ? "intact" : "damaged"}: ${contents}; read ${read}`);
  return report.findingCount;
}

async function verifyTokens(path: string): Promise<number> {
  try {
    const tokens = await storedTokens(path, { insecure: true });
    if (tokens.length > 0) printLine(`${TOKENS_KEY}: intact: ${plural(tokens.length, "token")}`);
    return 0;
  } catch (error) {
    printLine(`${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}
