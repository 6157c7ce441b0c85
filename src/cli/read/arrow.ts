import { rowOf } from "./row-id.js";
import type { ImportRow } from "./row.js";

const BLOCK_ROWS = 500;

/** Reads an Arrow IPC stream or file of events into memory whole, since its dictionaries may come anywhere. Lines are rows, from 1. */
export async function* readArrow(bytes: AsyncIterable<Uint8Array>, set: string): AsyncGenerator<readonly ImportRow[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  // Imported here: no other format needs the library, which takes longer to load than the rest.
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
