import type { Daybook } from "../../engine/daybook.js";
import type { ExportInput } from "../../query/plan/input.js";
import { jsonWithoutFormulas, quotedCell, withoutFormulas } from "../../page/format/sheet.js";
import type { ExportedEvent } from "../../core/schema/event.js";
import { FIELDS } from "../../core/schema/fields.js";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { parseJsonText } from "../../core/base/json-text.js";
import type { ExportOptions } from "../../core/base/options.js";
import { assert, DaybookError } from "../../core/base/errors.js";
import { writeFileAnew } from "../../platform/node/private-files.js";
import { planExport } from "../../query/plan/reports/exports.js";
import { flags, oneOf, readArguments, texts, UsageError, wholeNumberOf } from "../command.js";
import { CLICKHOUSE_HELP, eventLocationOf, LOCATION_OPTIONS } from "../on-clickhouse.js";
import { count, plural, Progress } from "../print/format.js";
import { readAhead } from "../read/lines.js";

const COLUMNS = ["id", "createdAt", ...FIELDS.map((field) => field.camel), "metadata"];

interface CsvRules {
  readonly withIdentityIds?: boolean;
  readonly withSequences?: boolean;
  /** True: texts stay as stored, even if a spreadsheet would read them as formulas. */
  readonly rawCells: boolean;
}

/** One event as an RFC 4180 record; unset fields are empty, metadata is JSON. With raw cells, `import --format csv` restores it exactly. */
export function csvLine(event: ExportedEvent, rules: CsvRules): string {
  const values: Readonly<Record<string, unknown>> = { ...event };
  const cell = (value: unknown) => quotedCell(rules.rawCells ? cellText(value) : guardedText(value));
  return `${columnsOf(rules).map((column) => cell(values[column])).join(",")}\r\n`;
}

function columnsOf({ withIdentityIds = false, withSequences = false }: CsvRules): string[] {
  return [...COLUMNS, ...(withIdentityIds ? ["identityId"] : []), ...(withSequences ? ["sequence", "receivedAt"] : [])];
}

function guardedText(value: unknown): string {
  if (typeof value === "string") return withoutFormulas(value);
  return typeof value === "object" ? jsonWithoutFormulas(cellText(value)) : cellText(value);
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

type ExportSource = Pick<Daybook, "exportEvents" | "exportRecords">;

interface ExportProgress {
  events: number;
  /** Identity records, and projects. */
  records: number;
}

/** Lines per chunk of a few hundred kilobytes. */
const BLOCK_LINES = 500;

/** Called before each block with the counts including it. */
type OnBlock = (written: ExportProgress) => void;

export function ndjsonBlocks(
  daybook: ExportSource,
  input: ExportInput,
  withRecords: boolean,
  onBlock: OnBlock,
  options?: ExportOptions,
): AsyncGenerator<string> {
  return inBlocks(onBlock, async function* (written) {
    if (withRecords)
      for await (const record of daybook.exportRecords()) {
        written.records += 1;
        yield `${JSON.stringify(record)}\n`;
      }
    for await (const event of daybook.exportEvents(input, options)) {
      written.events += 1;
      yield `${JSON.stringify(event)}\n`;
    }
  });
}

export function csvBlocks(daybook: ExportSource, input: ExportInput, rawCells: boolean, onBlock: OnBlock, options?: ExportOptions): AsyncGenerator<string> {
  const rules = { withIdentityIds: input.identityIds === true, withSequences: typeof input.afterSequence === "number", rawCells };
  return inBlocks(onBlock, async function* (written) {
    yield `${columnsOf(rules).join(",")}\r\n`;
    for await (const event of daybook.exportEvents(input, options)) {
      written.events += 1;
      yield csvLine(event, rules);
    }
  });
}

async function* inBlocks(onBlock: OnBlock, lines: (written: ExportProgress) => AsyncIterable<string>): AsyncGenerator<string> {
  const written: ExportProgress = { events: 0, records: 0 };
  let block: string[] = [];
  for await (const line of lines(written)) {
    block.push(line);
    if (block.length < BLOCK_LINES) continue;
    onBlock(written);
    yield block.join("");
    block = [];
  }
  onBlock(written);
  yield block.join("");
}

const FORMATS = ["ndjson", "csv", "arrow", "parquet"] as const;
type ExportFormat = (typeof FORMATS)[number];

/** Size of the column cache; small, because each column is read once, or twice in a row. */
const COLUMN_BYTES = 16 * 1024 * 1024;

export const help = `Usage: daybook export --data DIR | --clickhouse URL [options]

Writes the data of an organization. NDJSON contains every identity record (identify, group, alias, unlink, empty
projects), then every event, ascending by time. It is a full copy: once imported, it gives the same answers. Also while
"serve" runs. "import" reads every format back. Privacy requests and tokens are not exported.

  --data DIR            data directory or store
${CLICKHOUSE_HELP}  --organization NAME   default "default"
  --project NAME        only events of this project; records are always written: they belong to the organization
  --from DATE           only events from this day or RFC 3339 time on; records are always written
  --to DATE             only events up to and including this day or time
  --event NAME          only events of this name
  --filters JSON        only events that pass these filter groups, in the form of queries:
                        [{"filters":[{"field":"country","operator":"=","value":"NO"}]}]
  --after-sequence N    only events stored after the sequence N, whatever their time, each with its sequence and, as
                        receivedAt, when it was accepted; 0: all.
                        Prints the sequence that the export reached, for the next one
  --deletions FILE      after the events, write what was deleted since that sequence to this file, as NDJSON, gzipped if
                        the name ends in .gz; needs --after-sequence
  --format FORMAT       ndjson, csv (one column per event field, metadata as JSON), arrow (IPC stream, texts
                        dictionary-encoded), or parquet (compressed with Snappy); all but ndjson contain events only;
                        default: by the name of --out (.csv .arrow .arrows .parquet), else ndjson
  --events-only         no records
  --identity-ids        add identityId to each event: the identity that it belongs to now; "import" ignores it
  --raw-cells           keep texts of CSV as they are, for programs and for "import"; by default, text that a
                        spreadsheet would read as a formula (= + - @ at the start of a cell or after a semicolon, unless
                        a number) gets an apostrophe in front
  --json-mark           mark metadata as JSON in an Arrow stream (extension type arrow.json), which Polars refuses
  --out FILE            write to this file instead of standard output; gzipped if the name ends in .gz; must not be a
                        symbolic link to a file
`;

const OPTIONS = {
  ...LOCATION_OPTIONS,
  ...texts("project", "from", "to", "event", "filters", "after-sequence", "deletions", "format", "out"),
  ...flags("events-only", "identity-ids", "raw-cells", "json-mark"),
};

export async function run(args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, OPTIONS, false);
  const location = eventLocationOf(values);
  const format = formatOf(values.format, values.out ?? "");
  const isGzipped = values.out?.endsWith(".gz") === true;
  if (format === "parquet" && isGzipped) throw new UsageError("--out: Parquet is already compressed, expected a name without .gz");
  if (values["json-mark"] === true && format !== "arrow") throw new UsageError("--json-mark is for arrow only");
  if (values["raw-cells"] === true && format !== "csv") throw new UsageError("--raw-cells is for csv only");
  if (values.clickhouse !== undefined && format !== "ndjson" && format !== "csv")
    throw new UsageError(`--format: expected ndjson or csv with --clickhouse, got ${format}`);
  const after = values["after-sequence"];
  if (values.clickhouse !== undefined && after !== undefined) throw new UsageError("--after-sequence: events on ClickHouse have no sequences");
  if (values.deletions !== undefined && after === undefined) throw new UsageError("--deletions: expected --after-sequence beside it");
  if (values.deletions !== undefined && values.out !== undefined && resolve(values.deletions) === resolve(values.out))
    throw new UsageError(`--deletions: expected another file than --out, got ${values.deletions} for both`);
  const dates = checkedInput({ project: values.project ?? null, startDate: values.from ?? null, endDate: values.to ?? null });
  const input: ExportInput = {
    ...dates,
    eventName: values.event ?? null,
    filterGroups: filtersOf(values.filters),
    identityIds: values["identity-ids"] ?? false,
    ...(after === undefined ? {} : { afterSequence: wholeNumberOf(after, "after-sequence", 0, Number.MAX_SAFE_INTEGER) }),
  };
  await using daybook = await location.read({ memoryBudgetBytes: COLUMN_BYTES });
  const withRecords = values["events-only"] !== true;
  const progress = new Progress("export");
  let counts: ExportProgress = { events: 0, records: 0 };
  const onBlock: OnBlock = (written) => {
    counts = written;
    progress.at(written.events + written.records);
  };
  let reached = 0;
  const options: ExportOptions = after === undefined ? {} : { onSequence: (sequence) => void (reached = sequence) };
  const chunks = {
    ndjson: () => ndjsonBlocks(daybook, input, withRecords, onBlock, options),
    csv: () => csvBlocks(daybook, input, values["raw-cells"] === true, onBlock, options),
    arrow: () => embedded(daybook).exportArrow({ ...input, jsonMark: values["json-mark"] ?? false }, "stream", options),
    parquet: () => embedded(daybook).exportParquet(input, options),
  };
  // Compute the first chunk before the file is opened: a query that fails must not truncate the file of an earlier export.
  const bytes = Readable.from((await readAhead<string | Uint8Array>(chunks[format](), () => true)).chunks);
  if (values.out === undefined) await pipeline(bytes, process.stdout, { end: false });
  else await writeTo(values.out, bytes);
  const took = progress.end();
  if (values.out !== undefined) process.stdout.write(`${values.out}: ${format === "arrow" || format === "parquet" ? "" : textOf(counts)}(${took})\n`);
  // After the events: whatever is deleted between the two is then found now, and by the next export again.
  if (values.deletions !== undefined) await writeTo(values.deletions, Readable.from(deletionLines(embedded(daybook), input)));
  if (after !== undefined) process.stderr.write(`daybook export: up to sequence ${reached}\n`);
  if (withRecords && format !== "ndjson") await warnAboutRecords(daybook, format);
}

async function writeTo(file: string, bytes: Readable): Promise<void> {
  if (file.endsWith(".gz")) await pipeline(bytes, createGzip(), await writeFileAnew(file));
  else await pipeline(bytes, await writeFileAnew(file));
}

function formatOf(given: string | undefined, out: string): ExportFormat {
  if (given !== undefined) return oneOf(given, "format", FORMATS);
  const [, name = "ndjson"] = /\.(csv|arrow|parquet)s?(?:\.gz)?$/i.exec(out) ?? [];
  return oneOf(name.toLowerCase(), "format", FORMATS);
}

function textOf({ events, records }: ExportProgress): string {
  return `${count(events)} events ${records === 0 ? "" : `and ${plural(records, "record")} `}`;
}

async function* deletionLines(daybook: Pick<Daybook, "exportDeletions">, { afterSequence }: ExportInput): AsyncGenerator<string> {
  for await (const deletion of daybook.exportDeletions({ afterSequence: afterSequence ?? 0 })) yield `${JSON.stringify(deletion)}\n`;
}

/** The daybook checks the groups. @throws UsageError */
function filtersOf(json: string | undefined): ExportInput["filterGroups"] {
  if (json === undefined) return null;
  try {
    return parseJsonText(json) as ExportInput["filterGroups"];
  } catch (error) {
    throw new UsageError(`--filters: expected JSON, ${error instanceof Error ? error.message : String(error)}`);
  }
}

function embedded(daybook: ExportSource): Pick<Daybook, "exportArrow" | "exportParquet" | "exportDeletions"> {
  assert("exportArrow" in daybook, "with --clickhouse, other formats were refused");
  return daybook as Daybook;
}

/** Warns that the file is not a full copy: an import of it would lose identities and companies. */
async function warnAboutRecords(daybook: ExportSource, format: string): Promise<void> {
  let recordCount = 0;
  for await (const { type } of daybook.exportRecords()) if (type !== "project") recordCount += 1;
  if (recordCount === 0) return;
  const records = recordCount === 1 ? "1 identity record is" : `${count(recordCount)} identity records are`;
  process.stderr.write(`daybook export: ${format} contains events only; ${records} left out: use ndjson for a full copy\n`);
}

/** @throws UsageError that names the option of a date, and invalid_parameter (project) */
function checkedInput(input: ExportInput): ExportInput {
  try {
    planExport(input, { nowMs: 0, patterns: [], savedSegments: new Map() });
    return input;
  } catch (error) {
    if (!(error instanceof DaybookError) || (error.code !== "invalid_date" && error.code !== "invalid_date_range")) throw error;
    throw new UsageError(error.message.replaceAll("startDate", "--from").replaceAll("endDate", "--to"));
  }
}
