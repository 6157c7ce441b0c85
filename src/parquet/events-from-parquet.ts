import { parquetMetadataAsync, parquetScan, parquetSchema } from "hyparquet";
import type { AsyncBuffer, Compressors, FileMetaData, SchemaTree } from "hyparquet";
import { eventAt, placesOf } from "../arrow/event-columns.js";
import type { EventColumn, Place } from "../arrow/event-columns.js";
import { DaybookError, parameterError } from "../base/errors.js";
import type { EventInput } from "../schema/event.js";
import { leavesOf, refuseDamaged } from "./check-metadata.js";
import type { Leaf } from "./check-metadata.js";
import { refuseDamagedPages } from "./check-pages.js";
import { NotText, parsers } from "./parsers.js";
import { valueReader } from "./read-values.js";
import type { Convert } from "./read-values.js";

/** A file that can be read at any place. */
export type ParquetFile = AsyncBuffer;

/** What inflates the pages of a codec. */
export type Inflaters = Compressors;

/** A column of the file, where its values go, and what becomes of each. */
interface Target extends Place {
  readonly column: string;
  readonly leaves: readonly Leaf[];
  readonly convert: Convert;
}

/** What a file is read with. */
interface Source {
  readonly file: ParquetFile;
  readonly metadata: FileMetaData;
  readonly inflaters: Inflaters;
}

/** Events made between two turns of others. */
const BLOCK_EVENT_COUNT = 512;

/** Codecs that need no inflater. */
const KNOWN_CODECS = ["UNCOMPRESSED", "SNAPPY"];

/**
 * Events of a Parquet file for `ingest`, some hundred at a time; one row group is in memory. Columns become members of events as those of an Arrow
 * file do: instants are timestamps, dates, epoch ms or text; `metadata` is JSON text or a struct; any other column becomes a metadata key; null is
 * not set; integers beyond 2^53 become text.
 * @param inflaters of codecs besides Snappy
 * @throws invalid_parameter (no Parquet, damaged, a codec without inflater, or a column of a type or a name that events cannot have)
 */
export async function* eventsFromParquet(file: ParquetFile, inflaters: Inflaters = {}): AsyncGenerator<readonly EventInput[]> {
  // Without the parsers: the bounds of a text column may be cut within a character.
  const metadata = await readable(() => parquetMetadataAsync(file, { geoparquet: false }));
  refuseCodecs(metadata, inflaters);
  const { children } = await readable(() => schemaOf(metadata, file.byteLength));
  const places = placesOf(children.map(({ element }) => element.name), "file");
  const targets = children.map((tree, index) => targetOf(tree, places[index] as Place));
  const groups = metadata.row_groups.reverse();
  // What is known of a group goes with it: of a large file it is a good part of what an import has in memory.
  for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
    const rowCount = Number(group.num_rows);
    if (rowCount === 0) continue;
    const columns = await readable(() => columnsOf({ file, metadata: { ...metadata, row_groups: [group] }, inflaters }, targets, rowCount));
    for (let from = 0; from < rowCount; from += BLOCK_EVENT_COUNT) {
      const length = Math.min(BLOCK_EVENT_COUNT, rowCount - from);
      yield Array.from({ length }, (_, at) => eventAt(columns, from + at));
    }
  }
}

/** @throws Error where metadata is damaged */
function schemaOf(metadata: FileMetaData, byteLength: number): SchemaTree {
  const schema = parquetSchema(metadata);
  refuseDamaged(metadata, schema.children.flatMap((child) => leavesOf(child)), byteLength);
  return schema;
}

function targetOf(tree: SchemaTree, place: Place): Target {
  return { ...place, column: tree.element.name, leaves: leavesOf(tree), convert: valueReader(tree, place) };
}

/** Of one row group, one column after the other: what decoding makes of one is garbage before the next. */
async function columnsOf({ file, metadata, inflaters }: Source, targets: readonly Target[], rowCount: number): Promise<EventColumn[]> {
  const scan = await parquetScan({ file, metadata, compressors: inflaters, parsers, geoparquet: false, useOffsetIndex: false });
  const chunks = metadata.row_groups.flatMap((group) => group.columns.flatMap(({ meta_data: chunk }) => chunk ?? []));
  const columns: EventColumn[] = [];
  for (const { column, leaves, convert, ...place } of targets) {
    for (const leaf of leaves) {
      const chunk = chunks.find(({ path_in_schema: path }) => path.join(".") === leaf.path);
      if (chunk !== undefined) await refuseDamagedPages(file, chunk, leaf);
    }
    const values: ArrayLike<unknown> = await scan.readColumn({ column, rowStart: 0, rowEnd: rowCount }).catch((cause: unknown) => {
      if (!(cause instanceof NotText)) throw cause;
      throw parameterError("invalid_parameter", "file", `column ${column}: expected text in UTF-8, got other bytes; write them as numbers or text`);
    });
    if (values.length !== rowCount) throw new Error(`column ${column} has ${values.length} values in ${rowCount} rows`);
    columns.push({ ...place, read: (row: number) => convert(values[row]) });
  }
  return columns;
}

function refuseCodecs({ row_groups: groups }: FileMetaData, inflaters: Inflaters): void {
  const known = [...KNOWN_CODECS, ...Object.keys(inflaters)];
  const codec = groups.flatMap(({ columns }) => columns.flatMap(({ meta_data: chunk }) => chunk?.codec ?? [])).find((name) => !known.includes(name));
  if (codec === undefined) return;
  throw parameterError("invalid_parameter", "file", `it is compressed with ${codec}, which cannot be read here; expected one of ${known.join(", ")}`);
}

async function readable<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof DaybookError) throw cause;
    const reason = `expected a whole Parquet file: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new DaybookError("invalid_parameter", `file: ${reason}`, { param: "file", reason }, { cause });
  }
}
