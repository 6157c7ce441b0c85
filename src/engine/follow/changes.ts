import { DaybookError, parameterError, shown } from "../../core/base/errors.js";
import { checkQueryOptions, type KnownOptions, type StopOptions } from "../../core/base/options.js";
import { LIMITS } from "../../core/base/limits.js";
import { sleep } from "../../core/base/yield.js";
import { fieldIndex } from "../../core/schema/fields.js";
import type { Batch } from "../../store/batch/batch.js";
import { type Store, projectsOf } from "../../store/live/store.js";

/** A report that data was stored or removed. */
export interface Change {
  /** The newest sequence, the one that `asOf: "latest"` reads. */
  readonly sequence: number;
  /** Projects whose answers may have changed; all of them after identity records. */
  readonly projects: readonly string[];
}

/** Options of `changes`. */
export interface ChangesOptions extends StopOptions {
  /** The newest sequence the caller has read: if projects have changed since, the first change reports them at once. */
  readonly after?: number | null | undefined;
}

const KNOWN: KnownOptions<ChangesOptions> = { signal: true, after: true };
const PROJECT = fieldIndex("project");

/** Key of a Daybook method that returns what hides sequences; a property would be printed. The same for all copies of this package. */
export const SEQUENCES: unique symbol = Symbol.for("daybook.sequences") as typeof SEQUENCES;

/** Hides sequences in tokens of one project: its numbers must not count what other projects store. */
export interface Sequences {
  /** 32 bytes, a secret of the store. */
  readonly key: Uint8Array;
  /** The newest sequence that changed a project, or a later one. */
  newestOf(project: string): number;
}

/** A listener: all unreported changes are merged into one, however long it takes. */
interface ChangeReader {
  pending: { sequence: number; readonly projects: Set<string> } | null;
  wake: (() => void) | null;
}

/** Reports changes to listeners: each gets only the newest, at most one per `LIMITS.changeMs`. */
export class Changes {
  readonly #readers = new Set<ChangeReader>();
  /** The newest sequence of each project, where it differs from that of all. */
  readonly #newest = new Map<string, number>();
  #newestOfAll: number;
  #changeCount: number;
  #isClosed = false;

  constructor(readonly store: Store) {
    this.#newestOfAll = store.newestSequence;
    this.#changeCount = store.resolver.moves.count;
  }

  /** The newest sequence that changed a project; right after opening, the newest of the store. */
  newestOf(project: string): number {
    return Math.max(this.#newestOfAll, this.#newest.get(project) ?? 0);
  }

  /** Reports a commit. Cost: one read per row. */
  committed(batch: Batch, hasRecords: boolean): void {
    if (batch.rowCount === 0 && !hasRecords) return;
    const before = this.#changeCount;
    this.#changeCount = this.store.resolver.moves.count;
    // Identities apply to every project. Events whose ids are already linked change none.
    if (hasRecords || before !== this.#changeCount) return this.all();
    const projects = this.#projectsOf(batch);
    for (const project of projects) this.#newest.set(project, this.store.newestSequence);
    this.#notify(projects);
  }

  /** Reports a change of every project, such as an erasure or a deletion. @param gone deleted projects */
  all(gone: readonly string[] = []): void {
    this.#newestOfAll = this.store.newestSequence;
    this.#newest.clear();
    if (this.#readers.size > 0) this.#notify([...projectsOf(this.store), ...gone]);
  }

  close(): void {
    this.#isClosed = true;
    for (const { wake } of this.#readers) wake?.();
  }

  /** @param newest where to start if the options name no sequence @throws invalid_parameter, unknown_parameter, overloaded, aborted */
  async *read(options: ChangesOptions | null | undefined, newest: number): AsyncGenerator<Change> {
    const { after = newest, signal } = readOptions(options);
    if (this.#readers.size >= LIMITS.changeReaderCount) throw new DaybookError("overloaded", `expected at most ${LIMITS.changeReaderCount} readers of changes at a time`);
    const reader: ChangeReader = { pending: null, wake: null };
    this.#readers.add(reader);
    try {
      if (this.store.newestSequence !== after) this.#addSince(reader, after);
      for (let nextMs = 0; ; ) {
        if (this.#isClosed) return;
        if (reader.pending === null) await waitFor(reader, signal);
        if (this.#isClosed) return;
        const waitMs = nextMs - performance.now();
        // Changes during the wait are merged into the pending one.
        if (waitMs > 0) await sleep(waitMs);
        if (signal?.aborted === true) throw new DaybookError("aborted", "the changes were stopped by their signal");
        if (this.#isClosed) return;
        const { pending } = reader;
        if (pending === null) continue;
        reader.pending = null;
        nextMs = performance.now() + LIMITS.changeMs;
        yield { sequence: pending.sequence, projects: [...pending.projects].sort() };
      }
    } finally {
      this.#readers.delete(reader);
    }
  }

  #notify(projects: readonly string[]): void {
    for (const reader of this.#readers) {
      this.#add(reader, projects);
      reader.wake?.();
    }
  }

  /** @param after one that is not reached yet comes from another store: report every project */
  #addSince(reader: ChangeReader, after: number): void {
    const isReached = after <= this.store.newestSequence;
    const missed = projectsOf(this.store).filter((project) => !isReached || this.newestOf(project) > after);
    if (missed.length > 0) this.#add(reader, missed);
  }

  #add(reader: ChangeReader, projects: readonly string[]): void {
    reader.pending ??= { sequence: 0, projects: new Set() };
    reader.pending.sequence = this.store.newestSequence;
    for (const project of projects) reader.pending.projects.add(project);
  }

  #projectsOf({ codes, rowCount }: Batch): string[] {
    const distinct = new Set<number>();
    let last = -1;
    for (const code of codes[PROJECT]?.subarray(0, rowCount) ?? []) if (code !== last) distinct.add((last = code));
    const dictionary = this.store.dictionaries.named("project");
    return [...distinct].map((code) => dictionary.valueOf(code));
  }
}

function readOptions(options: ChangesOptions | null | undefined): { readonly after?: number; readonly signal: StopOptions["signal"] } {
  checkQueryOptions(options, KNOWN);
  const { after = null, signal } = options ?? {};
  if (after !== null && !(Number.isSafeInteger(after) && after >= 0)) throw parameterError("invalid_parameter", "after", `expected a sequence, got ${shown(after)}`);
  return { ...(after === null ? {} : { after }), signal };
}

/** Resolves when the reader is woken or the signal is aborted. Polls the signal and adds no listener to it. */
function waitFor(reader: ChangeReader, signal: StopOptions["signal"]): Promise<void> {
  return new Promise((resolve) => {
    const look = signal === undefined ? null : setInterval(() => signal.aborted && wake(), LIMITS.changeMs);
    // A listener alone must not keep the process alive.
    if (look !== null && typeof look === "object") look.unref();
    const wake = () => {
      if (look !== null) clearInterval(look);
      reader.wake = null;
      resolve();
    };
    reader.wake = wake;
    if (signal?.aborted === true) wake();
  });
}
