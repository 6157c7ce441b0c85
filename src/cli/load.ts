import type { Daybook } from "../engine/daybook.js";
import type { EventInput, IngestResult } from "../schema/event.js";
import type { Rows } from "./read/row.js";

export interface Rejection {
  readonly line: number;
  readonly reason: string;
}

/** What became of a source: every row is in exactly one of the three. */
export interface LoadOutcome {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: number;
  /** The first rejections, at most `REJECTIONS_SHOWN`. */
  readonly rejections: readonly Rejection[];
}

export interface LoadOptions {
  /** The only project the events may belong to, and the one of those that name none. */
  readonly project?: string;
  /** Called after each batch with the rows read so far. */
  readonly onProgress?: (rowCount: number) => void;
}

export const REJECTIONS_SHOWN = 10;

/** Events per ingest: large enough that a sync costs little per event, small enough that progress is seen. */
const BATCH_ROWS = 5_000;

interface Batch {
  readonly events: EventInput[];
  readonly lines: number[];
}

/** Stores all rows of a source, reading the next batch while one is being stored. @throws what `ingest` throws */
export async function load(daybook: Daybook, rows: Rows, options: LoadOptions = {}): Promise<LoadOutcome> {
  const tally = new Tally();
  let batch: Batch = { events: [], lines: [] };
  let pending: Promise<void> = Promise.resolve();
  const send = async (): Promise<void> => {
    await pending;
    const sent = batch;
    batch = { events: [], lines: [] };
    if (sent.events.length === 0) return;
    const ingestOptions = options.project === undefined ? {} : { project: options.project };
    pending = daybook.ingest(sent.events, ingestOptions).then((result) => tally.add(result, sent.lines));
    // The failure is seen by the next `await pending`; until then it must not count as unhandled.
    pending.catch(() => undefined);
    options.onProgress?.(tally.rowCount);
  };
  for await (const block of rows) {
    for (const row of block) {
      if ("reason" in row) tally.reject(row.line, row.reason);
      else {
        batch.events.push(row.event);
        batch.lines.push(row.line);
        if (batch.events.length >= BATCH_ROWS) await send();
      }
    }
  }
  await send();
  await pending;
  return tally.outcome();
}

class Tally {
  #accepted = 0;
  #duplicates = 0;
  #rejected = 0;
  readonly #rejections: Rejection[] = [];

  get rowCount(): number {
    return this.#accepted + this.#duplicates + this.#rejected;
  }

  reject(line: number, reason: string): void {
    this.#rejected += 1;
    if (this.#rejections.length < REJECTIONS_SHOWN) this.#rejections.push({ line, reason });
  }

  add(result: IngestResult, lines: readonly number[]): void {
    this.#accepted += result.accepted;
    this.#duplicates += result.duplicates;
    for (const { index, message } of result.rejected) this.reject(lines[index] ?? 0, message);
  }

  outcome(): LoadOutcome {
    const rejections = [...this.#rejections].sort((a, b) => a.line - b.line);
    return { accepted: this.#accepted, duplicates: this.#duplicates, rejected: this.#rejected, rejections };
  }
}
