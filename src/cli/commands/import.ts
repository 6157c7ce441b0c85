import { setFlagsFromString } from "node:v8";
import { basename } from "node:path";
import { flags, oneOf, readArguments, texts, UsageError } from "../command.js";
import { CLICKHOUSE_HELP, eventLocationOf, LOCATION_OPTIONS } from "../on-clickhouse.js";
import { BATCH_ROWS_OF_SERVER, load, type LoadOutcome } from "../load.js";
import { count, plain, plural, Progress } from "../print/format.js";
import { readArrow, readParquet } from "../read/columnar.js";
import { readClf } from "../read/clf.js";
import { readCsvEvents, readCsvMap, type CsvMap } from "../read/csv.js";
import { checkReadable, readBytes, readNdjson } from "../read/lines.js";
import { FileFault, type ImportRows } from "../read/row.js";

const FORMATS = ["ndjson", "csv", "clf", "arrow", "parquet"] as const;
type ImportFormat = (typeof FORMATS)[number];

/** Size of the column cache: an import reads stored ids, to find duplicates, and the columns that it compacts. */
const COLUMN_BYTES = 64 * 1024 * 1024;

export const help = `Usage: daybook import --data DIR | --clickhouse URL [options] FILE...

Loads events, or the records and events of a copy, from files, gzipped or not; "-" is standard input. Importing a file
twice adds nothing.

  --data DIR            data directory or store; a data directory is created if missing
${CLICKHOUSE_HELP}  --organization NAME   default "default"
  --project NAME        the project of events that name none; events of other projects are rejected; records always
                        apply to the whole organization
  --format FORMAT       ndjson (one JSON object per line: an event, or a record if it has a "type"), csv, clf (access
                        log, common, combined or vhost_combined), arrow (IPC stream or file), or parquet; default: by
                        the file's name (.ndjson .jsonl .csv .log .arrow .arrows .parquet)
  --map FILE            how CSV columns become events (docs/guide/importing.md)
  --set NAME            name of the data set, part of the ids of rows without an id; default: the file's name
  --future keep         store times more than five minutes ahead of the clock as they are; default "adjust": replace
                        them with the time of receipt
  --strict              exit 1 if any row was rejected

Prints for each file how many rows were accepted, duplicates and rejected, how many of them were records, how many were
stored with the time of receipt, and the first rejected and adjusted rows with their lines. An identityId written by
"export --identity-ids" is ignored: it follows from ids and records.
`;

export async function run(args: readonly string[]): Promise<void> {
  const options = { ...LOCATION_OPTIONS, ...texts("project", "format", "map", "set", "future"), ...flags("strict") };
  const { values, positionals } = readArguments(args, options, true);
  const future = values.future === undefined ? {} : { futureEvents: oneOf(values.future, "future", ["adjust", "keep"] as const) };
  const location = eventLocationOf(values);
  if (positionals.length === 0) throw new UsageError("expected at least one FILE");
  const files = positionals.map((path) => ({ path, format: formatOf(path, values.format) }));
  if (values.map !== undefined && files.some((file) => file.format !== "csv")) throw new UsageError("--map is for csv files only");
  const unseekable = files.find(({ path, format }) => format === "parquet" && (path === "-" || /\.gz$/i.test(path)));
  if (unseekable !== undefined) throw new UsageError(`${unseekable.path}: Parquet is read from its end, so it must be a file that is not gzipped`);
  // Check all files first: a mistyped name must not create a store, or leave half of the files imported.
  for (const { path } of files) await checkReadable(path);
  const map = values.map === undefined ? null : await readCsvMap(values.map);
  // Halves the heap, at the cost of up to 10 % more time: by default, V8 lets it grow to two to four times its live size.
  setFlagsFromString("--heap-growing-percent=50");

  let rejectedCount = 0;
  const failedFiles: string[] = [];
  {
    await using daybook = await location.write({ memoryBudgetBytes: COLUMN_BYTES, ...future });
    for (const { path, format } of files) {
      const progress = new Progress(path);
      const set = values.set ?? map?.set ?? setOf(path);
      const outcome = await load(daybook, rowsOf(path, format, set, map), {
        ...(values.project === undefined ? {} : { project: values.project }),
        ...("seal" in daybook ? {} : { rowsAtOnce: BATCH_ROWS_OF_SERVER }),
        onProgress: (rowCount) => progress.at(rowCount),
      }).catch((error: unknown) => {
        if (!(error instanceof FileFault)) throw error;
        throw new Error(`${path}: ${error.message}`, { cause: error });
      });
      printOutcome(path, outcome, progress.end());
      rejectedCount += outcome.rejected;
      if (outcome.accepted + outcome.duplicates > 0) continue;
      const reason = outcome.rejected === 0 ? "contains no events" : `no row could be imported${format === "csv" ? "" : `: is it ${format}?`}`;
      failedFiles.push(`${path}: ${reason}`);
    }
    // Seal here: closing leaves slow merges to a later process, but some stores are only ever written by imports.
    if ("seal" in daybook) await daybook.seal();
  }
  if (failedFiles.length > 0) throw new Error(failedFiles.join("; "));
  if (values.strict === true && rejectedCount > 0) throw new Error(`${plural(rejectedCount, "row")} ${rejectedCount === 1 ? "was" : "were"} rejected, all others are stored`);
}

function formatOf(path: string, given: string | undefined): ImportFormat {
  if (given !== undefined) return oneOf(given, "format", FORMATS);
  const name = basename(path).replace(/\.gz$/i, "").toLowerCase();
  if (/\.(ndjson|jsonl)$/.test(name)) return "ndjson";
  if (name.endsWith(".csv")) return "csv";
  if (/\.arrows?$/.test(name)) return "arrow";
  if (name.endsWith(".parquet")) return "parquet";
  if (/\.log(\.\d+)?$/.test(name)) return "clf";
  throw new UsageError(`--format is required: ${path === "-" ? "standard input has no name" : `${basename(path)} does not indicate a format`}`);
}

function setOf(path: string): string {
  return path === "-" ? "stdin" : basename(path).replace(/\.gz$/i, "");
}

function rowsOf(path: string, format: ImportFormat, set: string, map: CsvMap | null): ImportRows {
  if (format === "parquet") return readParquet(path, set);
  const bytes = readBytes(path);
  if (format === "ndjson") return readNdjson(bytes, set);
  if (format === "clf") return readClf(bytes, set);
  if (format === "arrow") return readArrow(bytes, set);
  return readCsvEvents(bytes, set, map);
}

function printOutcome(path: string, outcome: LoadOutcome, took: string): void {
  const { accepted, duplicates, rejected, records, rejections, adjusted, adjustments } = outcome;
  const counts = `accepted ${count(accepted)} / duplicates ${count(duplicates)} / rejected ${count(rejected)}`;
  const recordsText = records === 0 ? "" : `; ${plural(records, "record")} among these rows`;
  const lines = [`${path}: ${counts}${recordsText}${adjusted === 0 ? "" : `, ${count(adjusted)} stored with the time of receipt`} (${took})`];
  for (const { line, reason } of rejections) lines.push(`  line ${line}: ${plain(reason, 300)}`);
  if (rejected > rejections.length) lines.push(`  and ${count(rejected - rejections.length)} more`);
  for (const { line, createdAt } of adjustments) lines.push(`  line ${line}: createdAt: more than 5 minutes ahead of the clock, stored with the time of receipt, ${createdAt}`);
  if (adjusted > adjustments.length) lines.push(`  and ${count(adjusted - adjustments.length)} more such times`);
  process.stdout.write(`${lines.join("\n")}\n`);
}
