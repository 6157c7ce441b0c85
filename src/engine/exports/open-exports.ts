import type { RecordBatch } from "../../formats/arrow/record-batches.js";
import { DaybookError, parameterError, shown } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { readStopOptions, type StopOptions } from "../../core/base/options.js";
import { IdentityNames } from "../../identity/identity-ids.js";
import type { Range } from "../../query/plan/plan.js";
import { planArrowExport, planExport, planRecordBatches } from "../../query/plan/reports/events.js";
import type { Snapshot } from "../../store/live/catalog.js";
import type { Store } from "../../store/live/store.js";
import type { ExportArrowInput, ExportInput, RecordBatchesInput } from "../../query/plan/input.js";
import type { ExportedEvent } from "../../core/schema/event.js";
import type { exportRows, ExportRows } from "./events.js";
import { AFTER, type PagedExports } from "./place.js";
import { rowYielder } from "./row-yielder.js";

interface ExportSnapshot {
  readonly snapshot: Snapshot;
  readonly names: IdentityNames | null;
}

interface ExportReader {
  readonly snapshot: Snapshot;
  /** Since when it has requested nothing; null while it waits for the next item. */
  idleSinceMs: number | null;
  /** Thrown at the next request. */
  ended: DaybookError | null;
}

/** All exports that are reading a snapshot. An export ends when the store closes, or when it is idle while replaced files wait. */
export class OpenExports {
  readonly #readers = new Set<ExportReader>();
  #isClosed = false;

  /** @param loaded lazy: most programs export nothing */
  constructor(
    readonly store: Store,
    readonly loaded: () => Promise<{ readonly exportRows: typeof exportRows }>,
  ) {}

  events(input: Parameters<PagedExports["exportEvents"]>[0] | null = {}, options?: StopOptions): AsyncGenerator<ExportedEvent> {
    const { project, range, identityIds } = planExport(input);
    const { signal } = readStopOptions(options);
    return this.#events(identityIds, { project, after: input?.[AFTER] ?? null, signal }, range);
  }

  async *arrow(input: ExportArrowInput = {}, format: "stream" | "file" = "stream", options?: StopOptions): AsyncGenerator<Uint8Array> {
    const { project, range, identityIds, jsonMark } = planArrowExport(input);
    if (format !== "stream" && format !== "file") throw parameterError("invalid_parameter", "format", `expected stream or file, got ${shown(format)}`);
    // Lazy: most programs never write Arrow.
    const { eventsToIpc } = await import("../../formats/arrow/events-to-ipc.js");
    yield* this.#read(identityIds, options, ({ snapshot, names }, pause) =>
      eventsToIpc(snapshot.rows, this.store.dictionaries, { ...range, project }, format, { identityIdOf: names?.of ?? null, jsonMark }, pause),
    );
  }

  async *parquet(input: ExportInput = {}, options?: StopOptions): AsyncGenerator<Uint8Array> {
    const { project, range, identityIds } = planExport(input);
    const { eventsToParquet } = await import("../../formats/parquet/events-to-parquet.js");
    yield* this.#read(identityIds, options, ({ snapshot, names }, pause) =>
      eventsToParquet(snapshot.rows, this.store.dictionaries, { ...range, project }, names?.of ?? null, pause),
    );
  }

  async *batches(input: RecordBatchesInput = {}, options?: StopOptions): AsyncGenerator<RecordBatch> {
    const { project, range, columns } = planRecordBatches(input);
    const { recordBatches } = await import("../../formats/arrow/record-batches.js");
    yield* this.#read(false, options, ({ snapshot }, pause) => recordBatches(snapshot.rows, this.store.dictionaries, { ...range, project }, columns, pause));
  }

  /** Waits until no export reads replaced data; ends those that are idle for too long. */
  async waitForReaders(whenUnread: Promise<void>): Promise<void> {
    const timer = setInterval(() => this.#endIdle(performance.now() - LIMITS.idleExportMs), LIMITS.idleExportMs / 4);
    try {
      await whenUnread;
    } finally {
      clearInterval(timer);
    }
  }

  /** Running exports throw `closed` at their next request. */
  close(): void {
    this.#isClosed = true;
    for (const reader of this.#readers) end(reader, closed());
  }

  #endIdle(sinceMs: number): void {
    for (const reader of this.#readers)
      if (reader.idleSinceMs !== null && reader.idleSinceMs <= sinceMs)
        end(reader, new DaybookError("query_timeout", `this export was idle for ${LIMITS.idleExportMs} ms, and files that it reads had to be removed`));
  }

  async *#events(identityIds: boolean, rest: ExportRows, range: Range): AsyncGenerator<ExportedEvent> {
    const { exportRows: rowsOf } = await this.loaded();
    yield* this.#read(identityIds, {}, ({ snapshot, names }) =>
      rowsOf(snapshot.rows, this.store.dictionaries, range, names === null ? rest : { ...rest, names }));
  }

  async *#read<T>(
    withNames: boolean, options: StopOptions | undefined, make: (moment: ExportSnapshot, pause: () => Promise<void>) => AsyncIterable<T>,
  ): AsyncGenerator<T> {
    const yielder = rowYielder(readStopOptions(options).signal);
    if (this.#isClosed) throw closed();
    const { store } = this;
    const moment = await store.betweenCommits(() => ({ names: withNames ? new IdentityNames(store.resolver.view()) : null, snapshot: store.snapshot() }));
    const reader: ExportReader = { snapshot: moment.snapshot, idleSinceMs: null, ended: this.#isClosed ? closed() : null };
    this.#readers.add(reader);
    try {
      refuseEnded(reader);
      for await (const item of make(moment, () => yielder.yield())) {
        refuseEnded(reader);
        reader.idleSinceMs = performance.now();
        yield item;
        reader.idleSinceMs = null;
        refuseEnded(reader);
      }
    } catch (error) {
      // A snapshot released during a read can fail in any way: throw the reason it was released for.
      throw reader.ended ?? error;
    } finally {
      this.#readers.delete(reader);
      reader.snapshot.release();
    }
  }
}

function end(reader: ExportReader, error: DaybookError): void {
  reader.ended ??= error;
  reader.snapshot.release();
}

function refuseEnded({ ended }: ExportReader): void {
  if (ended !== null) throw ended;
}

function closed(): DaybookError {
  return new DaybookError("closed", "this Daybook was closed");
}
