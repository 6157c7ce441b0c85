import { DaybookError, parameterError, shown } from "../../base/errors.js";
import { checkQueryOptions } from "../../base/call-options.js";
import type { KnownOptions } from "../../base/known-options.js";
import { LIMITS } from "../../base/limits.js";
import type { StopOptions } from "../../base/stop-options.js";
import { fieldIndex } from "../../schema/fields.js";
import type { Batch } from "../../store/batch/batch.js";
import type { Store } from "../../store/live/store.js";
import { projectsOf } from "../../store/live/projects.js";

/** Something is stored that was not, or is gone. */
export interface Change {
  /** The newest sequence: what `asOf: "latest"` answers. */
  readonly sequence: number;
  /** Names of projects whose answers may be others now; all of them after what tells who is who. */
  readonly projects: readonly string[];
}

/** How changes are listened to. */
export interface ChangesOptions extends StopOptions {
  /** A sequence that is known already: where projects have come further, the first change is told at once, as one of these. */
  readonly after?: number | null | undefined;
}

const KNOWN: KnownOptions<ChangesOptions> = { signal: true, after: true };
const PROJECT = fieldIndex("project");

/** The method of a Daybook that answers what hides its sequences; a value would be printed. The same for all copies of this package in a process. */
export const SEQUENCES: unique symbol = Symbol.for("daybook.sequences") as typeof SEQUENCES;

/** What seals sequences for a token of one project: none of its numbers may count what other projects store. */
export interface Sequences {
  /** 32 bytes, a secret of the store. */
  readonly key: Uint8Array;
  /** The newest sequence that made a difference to a project, or a later one. */
  newestOf(project: string): number;
}

/** One who listens: what was not told yet is one change, however long they take. */
interface ChangeReader {
  pending: { sequence: number; readonly projects: Set<string> } | null;
  wake: (() => void) | null;
}

/** Tells listeners of changes: each hears of the newest, and of no more than one in a while. */
export class Changes {
  readonly #readers = new Set<ChangeReader>();
  /** The newest sequence of projects, where it is not that of all. */
  readonly #newest = new Map<string, number>();
  #newestOfAll: number;
  #moveCount: number;
  #isClosed = false;

  constructor(readonly store: Store) {
    this.#newestOfAll = store.newestSequence;
    this.#moveCount = store.resolver.moves.count;
  }

  /** The newest sequence that made a difference to a project; at the opening that of all. */
  newestOf(project: string): number {
    return Math.max(this.#newestOfAll, this.#newest.get(project) ?? 0);
  }

  /** What a commit brought. Cost: a look at each row. */
  committed(batch: Batch, tellsWhoIsWho: boolean): void {
    if (batch.rowCount === 0 && !tellsWhoIsWho) return;
    const before = this.#moveCount;
    this.#moveCount = this.store.resolver.moves.count;
    // Who is who holds in every project; ids that were linked already change nothing.
    if (tellsWhoIsWho || before !== this.#moveCount) return this.all();
    const projects = this.#projectsOf(batch);
    for (const project of projects) this.#newest.set(project, this.store.newestSequence);
    this.#tell(projects);
  }

  /** Something that concerns every project, as an erasure or a deletion does. @param gone projects that are no more */
  all(gone: readonly string[] = []): void {
    this.#newestOfAll = this.store.newestSequence;
    this.#newest.clear();
    if (this.#readers.size > 0) this.#tell([...projectsOf(this.store), ...gone]);
  }

  /** Everybody who listens hears the end. */
  close(): void {
    this.#isClosed = true;
    for (const { wake } of this.#readers) wake?.();
  }

  /** @param newest sequence to begin at, where options name none @throws invalid_parameter, unknown_parameter, overloaded, aborted */
  async *read(options: ChangesOptions | null | undefined, newest: number): AsyncGenerator<Change> {
    const { after = newest, signal } = readOptions(options);
    if (this.#readers.size >= LIMITS.changeReaderCount) throw new DaybookError("overloaded", `expected at most ${LIMITS.changeReaderCount} to listen to changes`);
    const reader: ChangeReader = { pending: null, wake: null };
    this.#readers.add(reader);
    try {
      if (this.store.newestSequence !== after) this.#addSince(reader, after);
      for (let nextMs = 0; ; ) {
        if (this.#isClosed) return;
        if (reader.pending === null) await waitFor(reader, signal);
        if (this.#isClosed) return;
        const waitMs = nextMs - performance.now();
        // What comes meanwhile is told along.
        if (waitMs > 0) await sleep(waitMs);
        if (signal?.aborted === true) throw new DaybookError("aborted", "the caller gave up");
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

  #tell(projects: readonly string[]): void {
    for (const reader of this.#readers) {
      this.#add(reader, projects);
      reader.wake?.();
    }
  }

  /** @param after one that is not reached yet is another store's: anything may be missed */
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

/** Resolves when somebody wakes the reader, or the signal is aborted: a signal is asked, and never listened to. */
function waitFor(reader: ChangeReader, signal: StopOptions["signal"]): Promise<void> {
  return new Promise((resolve) => {
    const look = signal === undefined ? null : setInterval(() => signal.aborted && wake(), LIMITS.changeMs);
    // Who only listens keeps no process from its end.
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

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
