import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { DaybookError } from "../../core/base/errors.js";
import type { Daybook } from "../../engine/daybook.js";
import { writeFileAnew } from "../../platform/node/private-files.js";
import type { ExportInput } from "../../query/plan/input.js";
import { oneOf, readArguments, required, UsageError, type Command } from "../command.js";
import { dataDirectory, openForReading, organizationOf } from "../organizations.js";
import { CLICKHOUSE_HELP, CLICKHOUSE_OPTIONS, isOnClickHouse, openOnClickHouse } from "../on-clickhouse.js";
import { count, plural, Progress } from "../print/format.js";
import { csvBlocks, ndjsonBlocks, type ExportSource, type ExportProgress } from "../write/blocks.js";

const FORMATS = ["ndjson", "csv", "arrow", "parquet"] as const;
type ExportFormat = (typeof FORMATS)[number];

/** Size of the column cache; small, because each column is read once, or twice in a row. */
const COLUMN_BYTES = 16 * 1024 * 1024;

const help = `Usage: daybook export --data DIR | --clickhouse URL [options]

Writes the data of an organization. NDJSON contains every identity record (identify, group, alias, unlink, empty
projects), then every event, ascending by time. It is a full copy: once imported, it gives the same answers. Also while
"serve" runs. "import" reads every format back. Privacy requests and tokens are not exported.

  --data DIR            data directory or store
${CLICKHOUSE_HELP}  --organization NAME   default "default"
  --project NAME        only events of this project; records are always written: they belong to the organization
  --from DATE           only events from this day or RFC 3339 time on; records are always written
  --to DATE             only events up to and including this day or time
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

async function run(args: readonly string[]): Promise<void> {
  const { values } = readArguments(
    args,
    {
      ...CLICKHOUSE_OPTIONS,
      data: { type: "string" },
      organization: { type: "string" },
      project: { type: "string" },
      from: { type: "string" },
      to: { type: "string" },
      format: { type: "string" },
      "events-only": { type: "boolean" },
      "identity-ids": { type: "boolean" },
      "raw-cells": { type: "boolean" },
      "json-mark": { type: "boolean" },
      out: { type: "string" },
    },
    false,
  );
  const path = isOnClickHouse(values) ? null : required(values.data, "data");
  const format = formatOf(values.format, values.out ?? "");
  const isGzipped = values.out?.endsWith(".gz") === true;
  if (format === "parquet" && isGzipped) throw new UsageError("--out: Parquet is already compressed, expected a name without .gz");
  if (values["json-mark"] === true && format !== "arrow") throw new UsageError("--json-mark is for arrow only");
  if (values["raw-cells"] === true && format !== "csv") throw new UsageError("--raw-cells is for csv only");
  const organization = organizationOf(values.organization);
  const others = { data: values.data, organization: values.organization };
  const daybook = path === null ? await openOnClickHouse(values, others) : await openForReading(await dataDirectory(path), organization, { memoryBudgetBytes: COLUMN_BYTES });
  try {
    const input: ExportInput = { project: values.project ?? null, startDate: values.from ?? null, endDate: values.to ?? null, identityIds: values["identity-ids"] ?? false };
    const withRecords = values["events-only"] !== true;
    const progress = new Progress("export");
    let counts: ExportProgress = { events: 0, records: 0 };
    const onBlock = (upTo: ExportProgress) => {
      counts = { ...upTo };
      progress.at(upTo.events + upTo.records);
    };
    const chunks = {
      ndjson: () => ndjsonBlocks(daybook, input, withRecords, onBlock),
      csv: () => csvBlocks(daybook, input, values["raw-cells"] === true, onBlock),
      arrow: () => requireEmbedded(daybook, format).exportArrow({ ...input, jsonMark: values["json-mark"] ?? false }),
      parquet: () => requireEmbedded(daybook, format).exportParquet(input),
    };
    const written = Readable.from(await withFirstChunk(chunks[format]()));
    if (values.out === undefined) await pipeline(written, process.stdout, { end: false });
    else if (values.out.endsWith(".gz")) await pipeline(written, createGzip(), await writeFileAnew(values.out));
    else await pipeline(written, await writeFileAnew(values.out));
    const took = progress.end();
    if (values.out !== undefined) process.stdout.write(`${values.out}: ${format === "arrow" || format === "parquet" ? "" : textOf(counts)}(${took})\n`);
    if (withRecords && format !== "ndjson") await warnAboutRecords(daybook, format);
  } catch (error) {
    throw withOptionNames(error);
  } finally {
    await daybook.close();
  }
}

function formatOf(given: string | undefined, out: string): ExportFormat {
  if (given !== undefined) return oneOf(given, "format", FORMATS);
  const [, name = "ndjson"] = /\.(csv|arrow|parquet)s?(?:\.gz)?$/i.exec(out) ?? [];
  return oneOf(name.toLowerCase(), "format", FORMATS);
}

function textOf({ events, records }: ExportProgress): string {
  return `${count(events)} events ${records === 0 ? "" : `and ${plural(records, "record")} `}`;
}

/** @throws UsageError if events are on ClickHouse */
function requireEmbedded(daybook: ExportSource, format: ExportFormat): ExportSource & Pick<Daybook, "exportArrow" | "exportParquet"> {
  if ("exportArrow" in daybook) return daybook as Daybook;
  throw new UsageError(`--format: expected ndjson or csv with --clickhouse, got ${format}`);
}

/** Warns that the file is not a full copy: an import of it would lose identities and companies. */
async function warnAboutRecords(daybook: ExportSource, format: string): Promise<void> {
  let recordCount = 0;
  for await (const { type } of daybook.exportRecords()) if (type !== "project") recordCount += 1;
  if (recordCount === 0) return;
  const records = recordCount === 1 ? "1 identity record is" : `${count(recordCount)} identity records are`;
  process.stderr.write(`daybook export: ${format} contains events only; ${records} left out: use ndjson for a full copy\n`);
}

/** Replaces the library's parameter names in date errors with option names. */
function withOptionNames(error: unknown): unknown {
  if (!(error instanceof DaybookError) || (error.code !== "invalid_date" && error.code !== "invalid_date_range")) return error;
  return new UsageError(error.message.replaceAll("startDate", "--from").replaceAll("endDate", "--to"));
}

/** Computes the first chunk at once: a query that fails must not truncate the file of an earlier export. */
async function withFirstChunk(chunks: AsyncIterable<string | Uint8Array>): Promise<AsyncIterable<string | Uint8Array>> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    if (first.done !== true) yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
}

export const command: Command = { help, run };
