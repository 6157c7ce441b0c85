import type { Daybook } from "../engine/daybook.js";
import type { EventInput, IngestResult } from "../core/schema/event.js";
import type { RecordInput } from "../core/schema/record.js";
import type { ImportRows } from "./read/row.js";

interface RowRejection {
  readonly line: number;
  readonly reason: string;
}

interface Adjustment {
  readonly line: number;
  readonly createdAt: string;
}

/** The outcome of a load: each row counts in exactly one of the first three members. */
export interface LoadOutcome {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: number;
  readonly records: number;
  readonly rejections: readonly RowRejection[];
  /** Accepted rows whose time was more than five minutes ahead of the clock. */
  readonly adjusted: number;
  readonly adjustments: readonly Adjustment[];
}

interface LoadOptions {
  /** The project of events that name none; events of other projects are rejected. Records belong to the organization. */
  readonly project?: string;
  /** Rows per ingest. Default: 1,024, which suits a local store. */
  readonly rowsAtOnce?: number;
  readonly onProgress?: (rowCount: number) => void;
}

const REJECTIONS_SHOWN = 10;

/** Rows per ingest: enough to make a sync cheap per event, few enough that source rows are freed before V8 moves them to the old generation. */
const BATCH_ROWS = 1_024;
/** Rows per ingest on a server, where each ingest costs several statements. */
export const BATCH_ROWS_OF_SERVER = 5_000;

type RowSink = Pick<Daybook, "ingest" | "ingestRecords">;

interface RowsOfKind<Input> {
  readonly inputs: Input[];
  readonly lines: number[];
}

interface LoadBatch {
  readonly events: RowsOfKind<EventInput>;
  readonly records: RowsOfKind<RecordInput>;
}

function emptyBatch(): LoadBatch {
  return { events: { inputs: [], lines: [] }, records: { inputs: [], lines: [] } };
}

/** Stores all rows of a source, reading the next batch while one is being stored. @throws what `ingest` throws */
export async function load(daybook: RowSink, rows: ImportRows, options: LoadOptions = {}): Promise<LoadOutcome> {
  const { rowsAtOnce = BATCH_ROWS } = options;
  const tally = new LoadTally();
  let batch = emptyBatch();
  let pending: Promise<void> = Promise.resolve();
  const send = async (): Promise<void> => {
    await pending;
    pending = store(daybook, batch, options, tally);
    batch = emptyBatch();
    // The next `await pending` throws the error; until then it must not count as unhandled.
    pending.catch(() => undefined);
    options.onProgress?.(tally.rowCount);
  };
  const add = async <Input>(part: RowsOfKind<Input>, input: Input, line: number): Promise<void> => {
    part.inputs.push(input);
    part.lines.push(line);
    if (batch.events.lines.length + batch.records.lines.length >= rowsAtOnce) await send();
  };
  for await (const block of rows) {
    for (const row of block) {
      if ("reason" in row) tally.reject(row.line, row.reason);
      else if ("event" in row) await add(batch.events, row.event, row.line);
      else await add(batch.records, row.record, row.line);
    }
  }
  await send();
  await pending;
  return tally.outcome();
}

/** Stores events and records. Waits for both even if one fails: no write may still be running afterwards. */
async function store(daybook: RowSink, { events, records }: LoadBatch, { project }: LoadOptions, tally: LoadTally): Promise<void> {
  const storing = [
    ...(events.inputs.length === 0 ? [] : [daybook.ingest(events.inputs, project === undefined ? {} : { project }).then((result) => tally.add(result, events.lines))]),
    ...(records.inputs.length === 0 ? [] : [daybook.ingestRecords(records.inputs).then((result) => tally.addRecords(result, records.lines))]),
  ];
  await Promise.allSettled(storing);
  await Promise.all(storing);
}

class LoadTally {
  readonly #counts = { accepted: 0, duplicates: 0, rejected: 0, adjusted: 0, records: 0 };
  readonly #rejections = new FirstLines<RowRejection>();
  readonly #adjustments = new FirstLines<Adjustment>();

  get rowCount(): number {
    const { accepted, duplicates, rejected } = this.#counts;
    return accepted + duplicates + rejected;
  }

  reject(line: number, reason: string): void {
    this.#counts.rejected += 1;
    this.#rejections.add({ line, reason });
  }

  add(result: IngestResult, lines: readonly number[]): void {
    this.#counts.accepted += result.accepted;
    this.#counts.duplicates += result.duplicates;
    for (const { index, message } of result.rejected) this.reject(lines[index] ?? 0, message);
    this.#counts.rejected += (result.rejectedCount ?? result.rejected.length) - result.rejected.length;
    this.#counts.adjusted += result.adjusted.length;
    for (const { index, createdAt } of result.adjusted) this.#adjustments.add({ line: lines[index] ?? 0, createdAt });
  }

  addRecords(result: IngestResult, lines: readonly number[]): void {
    this.#counts.records += lines.length;
    this.add(result, lines);
  }

  outcome(): LoadOutcome {
    return { ...this.#counts, rejections: this.#rejections.first(), adjustments: this.#adjustments.first() };
  }
}

/** The lowest lines reported. Lines arrive out of order, because events and records of a batch are stored separately. */
class FirstLines<T extends { readonly line: number }> {
  #lines: T[] = [];

  add(line: T): void {
    this.#lines.push(line);
    if (this.#lines.length >= REJECTIONS_SHOWN * 100) this.#lines = this.first();
  }

  first(): T[] {
    return this.#lines.toSorted((a, b) => a.line - b.line).slice(0, REJECTIONS_SHOWN);
  }
}
