import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Daybook, EventInput, ExportInput } from "daybook";
import { eventsFromParquet } from "../../../src/formats/parquet/events-from-parquet.js";

/** What an export of a Daybook as Parquet is. */
export async function parquetOf(daybook: Daybook, input: ExportInput = {}): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of daybook.exportParquet(input)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Bytes as a file that can be read at any place. */
export function fileOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

export async function eventsOf(bytes: Uint8Array): Promise<EventInput[]> {
  const events: EventInput[] = [];
  for await (const block of eventsFromParquet(fileOf(bytes))) events.push(...block);
  return events;
}

/** Calls `act` with the path of a file of these bytes; bytes absent: of none yet. */
export async function withFile<T>(name: string, bytes: Uint8Array | null, act: (path: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "daybook-parquet-"));
  try {
    const path = join(directory, name);
    if (bytes !== null) await writeFile(path, bytes);
    return await act(path);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The rows of a statement of DuckDB, as JSON has them. */
export async function duckdb(statement: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(statement)).getRowObjectsJson() as Record<string, unknown>[];
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
