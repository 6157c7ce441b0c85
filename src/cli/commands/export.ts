import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { DaybookError } from "../../base/errors.js";
import type { Daybook, ExportInput } from "../../engine/daybook.js";
import { oneOf, readArguments, required, UsageError, type Command } from "../command.js";
import { dataDirectory } from "../data-directory.js";
import { openForReading, organizationOf } from "../organizations.js";
import { count } from "../print/format.js";
import { Progress } from "../print/progress.js";
import { CSV_HEADER, csvLine } from "../write/csv.js";

const FORMATS = ["ndjson", "csv", "arrow"] as const;

const help = `Usage: daybook export --data DIR [options]

Writes every stored event, ascending by time; also while "serve" runs. "import" reads every format back.

  --data DIR            data directory or store
  --organization NAME   default "default"
  --project NAME        only this project
  --from DATE           from this day or RFC 3339 time on
  --to DATE             up to and including this day or time
  --format FORMAT       ndjson (default), csv (one column per event field, metadata as JSON), or
                        arrow (IPC stream, texts dictionary-encoded)
  --out FILE            instead of standard output; gzipped when the name ends in .gz
`;

/** Events per write: a string of some hundred kilobytes. */
const BLOCK_ROWS = 500;

async function run(args: readonly string[]): Promise<void> {
  const { values } = readArguments(
    args,
    {
      data: { type: "string" },
      organization: { type: "string" },
      project: { type: "string" },
      from: { type: "string" },
      to: { type: "string" },
      format: { type: "string" },
      out: { type: "string" },
    },
    false,
  );
  const path = required(values.data, "data");
  const format = oneOf(values.format ?? "ndjson", "format", FORMATS);
  const organization = organizationOf(values.organization);
  const daybook = await openForReading(await dataDirectory(path), organization);
  try {
    const range = { project: values.project ?? null, startDate: values.from ?? null, endDate: values.to ?? null };
    const progress = new Progress("export");
    let rowCount = 0;
    const onRows = (rows: number) => {
      rowCount += rows;
      progress.at(rowCount);
    };
    const written = Readable.from(await begun(format === "arrow" ? daybook.exportArrow(range) : blocks(daybook, range, format, onRows)));
    if (values.out === undefined) await pipeline(written, process.stdout, { end: false });
    else if (values.out.endsWith(".gz")) await pipeline(written, createGzip(), createWriteStream(values.out));
    else await pipeline(written, createWriteStream(values.out));
    const took = progress.end();
    const events = format === "arrow" ? "" : `${count(rowCount)} events `;
    if (values.out !== undefined) process.stdout.write(`${values.out}: ${events}(${took})\n`);
  } catch (error) {
    throw inOptionNames(error);
  } finally {
    await daybook.close();
  }
}

/** The library says what is wrong with a date in its own names. */
function inOptionNames(error: unknown): unknown {
  if (!(error instanceof DaybookError) || (error.code !== "invalid_date" && error.code !== "invalid_date_range")) return error;
  return new UsageError(error.message.replaceAll("startDate", "--from").replaceAll("endDate", "--to"));
}

/** The same chunks, the first of them made already: a question that fails must not cut down the file of an earlier export. */
async function begun(chunks: AsyncIterable<string | Uint8Array>): Promise<AsyncIterable<string | Uint8Array>> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    if (first.done !== true) yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
}

async function* blocks(
  daybook: Daybook,
  range: ExportInput,
  format: "ndjson" | "csv",
  onRows: (rowCount: number) => void,
): AsyncGenerator<string> {
  let header = format === "csv" ? CSV_HEADER : "";
  let lines: string[] = [];
  for await (const event of daybook.exportEvents(range)) {
    lines.push(format === "csv" ? csvLine(event) : `${JSON.stringify(event)}\n`);
    if (lines.length < BLOCK_ROWS) continue;
    onRows(lines.length);
    yield header + lines.join("");
    header = "";
    lines = [];
  }
  onRows(lines.length);
  yield header + lines.join("");
}

export const command: Command = { summary: "write every stored event as NDJSON, CSV or Arrow", help, run };
