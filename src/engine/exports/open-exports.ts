import { DaybookError } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import type { Yielder } from "../../core/base/yield.js";
import { IdentityNames } from "../../identity/identity-ids.js";
import type { ScopeContext } from "../../query/plan/reports/events.js";
import type { ReportContexts } from "../query/report-contexts.js";
import type { Snapshot } from "../../store/live/catalog.js";
import type { Store } from "../../store/live/store.js";

/** What an export reads: the rows and identities of one turn. */
export interface ExportSnapshot {
  readonly snapshot: Snapshot;
  readonly names: IdentityNames | null;
  /** The newest sequence that the snapshot covers. */
  readonly sequence: number;
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

  constructor(
    readonly store: Store,
    readonly contexts: ReportContexts,
    readonly planning: () => Omit<ScopeContext, "patterns">,
    /** Repeats a read whose files a followed writer has replaced. */
    readonly retrying: <T>(read: () => Promise<T>) => Promise<T>,
  ) {}

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

  /** Takes a snapshot in this turn; no commit may be partly visible. */
  take(withNames: boolean): ExportSnapshot {
    const { store } = this;
    return { names: withNames ? new IdentityNames(store.resolver.view()) : null, sequence: store.newestSequence, snapshot: store.snapshot() };
  }

  /** @param taking the snapshot, which is released at the end @throws closed, query_timeout, and what reading throws */
  async *read<T>(taking: () => Promise<ExportSnapshot>, yielder: Yielder, make: (moment: ExportSnapshot, pause: () => Promise<void>) => AsyncIterable<T> | Promise<AsyncIterable<T>>): AsyncGenerator<T> {
    if (this.#isClosed) throw closed();
    const moment = await taking();
    const reader: ExportReader = { snapshot: moment.snapshot, idleSinceMs: null, ended: this.#isClosed ? closed() : null };
    this.#readers.add(reader);
    try {
      refuseEnded(reader);
      for await (const item of await make(moment, () => yielder.yield())) {
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
