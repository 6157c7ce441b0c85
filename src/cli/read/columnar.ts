import { rowOf, type ImportRow } from "./row.js";
import { open } from "node:fs/promises";
import * as zlib from "node:zlib";
import { DaybookError } from "../../core/base/errors.js";
import type { Inflaters, ParquetFile } from "../../formats/parquet/events-from-parquet.js";

const BLOCK_ROWS = 500;

/** Reads all of an Arrow IPC stream or file of events into memory: its dictionaries may be anywhere. Line numbers count rows, from 1. */
export async function* readArrow(bytes: AsyncIterable<Uint8Array>, set: string): AsyncGenerator<readonly ImportRow[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  // Imported here: only this format needs the library, which takes long to load.
  const { eventsFromIpc } = await import("../../formats/arrow/events-from-ipc.js");
  let rows: ImportRow[] = [];
  let line = 0;
  for (const read of eventsFromIpc(Buffer.concat(chunks))) {
    line += 1;
    rows.push(rowOf(read, set, line));
    if (rows.length < BLOCK_ROWS) continue;
    yield rows;
    rows = [];
  }
  yield rows;
}

/** Codecs of the running Node, which may lack Zstandard. */
const { zstdDecompressSync } = zlib as { readonly zstdDecompressSync?: (bytes: Uint8Array) => Uint8Array };
const INFLATERS: Inflaters = {
  GZIP: (bytes) => zlib.gunzipSync(bytes),
  BROTLI: (bytes) => zlib.brotliDecompressSync(bytes),
  ...(zstdDecompressSync === undefined ? {} : { ZSTD: (bytes) => zstdDecompressSync(bytes) }),
};

/** Reads a Parquet file of events, one row group in memory at a time. Line numbers count rows, from 1. @throws Error with the path in the message */
export async function* readParquet(path: string, set: string): AsyncGenerator<readonly ImportRow[]> {
  // Imported here: only this format needs the library.
  const { eventsFromParquet } = await import("../../formats/parquet/events-from-parquet.js");
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const slice = async (start: number, end = size) => {
      const bytes = new Uint8Array(end - start);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
      return bytesRead === bytes.length ? bytes.buffer : bytes.buffer.slice(0, bytesRead);
    };
    const file: ParquetFile = { byteLength: size, slice };
    let line = 0;
    for await (const events of eventsFromParquet(file, INFLATERS)) {
      yield events.map((event) => {
        line += 1;
        return rowOf(event, set, line);
      });
    }
  } catch (error) {
    if (!(error instanceof DaybookError)) throw error;
    throw new Error(error.message.replace(/^file: /, `${path}: `), { cause: error });
  } finally {
    await handle.close();
  }
}
