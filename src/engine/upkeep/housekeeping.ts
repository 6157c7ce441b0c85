import type { Clock } from "../../core/base/time.js";
import { Yielder } from "../../core/base/yield.js";
import { freeze, seal, isSealDue, type Frozen, compact, compactionsDue, type Due } from "../../store/upkeep/seal.js";
import type { RemovedRows } from "../../store/upkeep/replace-content.js";
import type { Store } from "../../store/live/store.js";
import { LIMITS } from "../../core/base/limits.js";
import type { IngestQueue } from "../ingest/queue.js";

export interface StoreServices {
  readonly store: Store;
  readonly queue: IngestQueue;
  readonly housekeeping: Housekeeping;
  readonly clock: Clock;
  readonly waitForReaders: WaitForReaders;
  /** Drops everything derived from rows and identities, and reports the change. @param goneProjects deleted ones */
  readonly forget: (goneProjects?: readonly string[]) => void;
  /** @throws closed */
  readonly refuseClosed: () => void;
}

/** Fixed cost of a segment, in rows: opening and removing a file. */
const ROWS_PER_SEGMENT = 4_096;

/** Merges one group at a time. Takes a tenth of the thread from ingest, so it waits for a quiet period unless a caller or many segments wait. */
class Compactions {
  #running: Promise<void> | null = null;
  /** Resolves, and never rejects, with the merge under way. */
  #merging: Promise<unknown> = Promise.resolve();
  #hasten: () => void = () => undefined;
  /** Callers that wait for all merges, and callers during which no merge may start. */
  #waitingCount = 0;
  #pausedCount = 0;
  #yielder: Yielder | null = null;
  /** Rows that may still be merged; 0 stops merging. */
  #room = Infinity;
  /** Next sequence at the last check; rows from it on are new. */
  #lookedSequence = -Infinity;

  constructor(readonly store: Store) {}

  /** Resolves when nothing is left to merge, or nothing more may be merged. @throws what reading and writing files throws */
  run(): Promise<void> {
    // The number of segments may be above the limit now: check again at once.
    this.#hasten();
    this.#running ??= this.#run().finally(() => (this.#running = null));
    return this.#running;
  }

  /** Runs `act`, which waits for all merges; meanwhile merges do not wait for a quiet period. */
  async urgent(act: () => Promise<void>): Promise<void> {
    this.#waitingCount += 1;
    this.#hasten();
    await act().finally(() => (this.#waitingCount -= 1));
  }

  /** Runs `act` once the merge under way is done; none starts until `act` is over. */
  async paused(act: () => Promise<void>): Promise<void> {
    this.#pausedCount += 1;
    // Ingest waits meanwhile.
    this.#yielder?.hurry();
    try {
      await this.#merging;
      await act();
    } finally {
      this.#pausedCount -= 1;
      this.#hasten();
    }
  }

  end(): void {
    this.#room = 0;
    this.#hasten();
  }

  /** Starts only small merges from now on, so that closing is fast. */
  endSoon(): void {
    this.#room = LIMITS.lastMergedRowCount;
  }

  /** Checks again after each merge: a seal may have added segments. */
  async #run(): Promise<void> {
    while (this.store.isWritable) {
      const due = compactionsDue(this.store.catalog.segments);
      const isLate = due.some(exceedsDayLimit) || segmentCountOf(due) > LIMITS.segmentsToMergeCount;
      const next = isLate && this.#room > 0 ? due[0] : due.find((one) => costOf(one) <= this.#room);
      if (next === undefined) return;
      const isWaiting = !isLate && this.#waitingCount === 0 && this.#room === Infinity;
      if (this.#pausedCount > 0) await this.#hastened();
      else if (isWaiting && !this.#isQuiet) await this.#lookAgain();
      else await this.#merge(next, isLate);
    }
  }

  async #merge(due: Due, isLate: boolean): Promise<void> {
    // Never 0, which stops merging: above the limit, merges continue without room.
    this.#room = Math.max(1, this.#room - costOf(due));
    const yielder = new Yielder();
    if (isLate) yielder.hurry();
    this.#yielder = yielder;
    const merging = compact(this.store, due.group, yielder).finally(() => (this.#yielder = null));
    this.#merging = merging.catch(() => undefined);
    await merging;
  }

  /** Whether hardly any rows came since the last check. */
  get #isQuiet(): boolean {
    return this.store.nextSequence - this.#lookedSequence <= LIMITS.quietRowCount;
  }

  async #lookAgain(): Promise<void> {
    const { nextSequence } = this.store;
    if (await this.#hastened(LIMITS.quietMs)) this.#lookedSequence = nextSequence;
  }

  /** Waits for `ms`, or until `#hasten` is called; returns whether the time passed. */
  #hastened(ms?: number): Promise<boolean> {
    return new Promise((resolve) => {
      // Pending merges must not keep the process alive.
      const timer = ms === undefined ? undefined : (setTimeout(() => resolve(true), ms) as { unref?: () => void });
      timer?.unref?.();
      this.#hasten = () => {
        clearTimeout(timer as Parameters<typeof clearTimeout>[0]);
        resolve(false);
      };
    });
  }
}

const exceedsDayLimit = ({ daySegmentCount }: Due) => daySegmentCount > LIMITS.segmentsPerLateDayCount;

function segmentCountOf(due: readonly Due[]): number {
  return due.reduce((sum, { daySegmentCount }) => sum + daySegmentCount, 0);
}

function costOf({ group }: Due): number {
  return group.reduce((sum, { rowCount }) => sum + rowCount + ROWS_PER_SEGMENT, 0);
}

/** Waits until no reader uses removed data; ends idle exports. @throws closed (the Daybook was closed meanwhile) */
export type WaitForReaders = (whenUnread: Promise<void>) => Promise<void>;

/** Rows to come after a failed seal before the next attempt: the rows stay in heads, and in the journal if there is one. */
const RETRY_RECORD_COUNT = 65_536;

/** Seals heads and merges segments behind ingest and queries. One seal and one compaction run at a time; seals do not wait for the compaction. */
export class Housekeeping {
  /** Resolves, and never rejects, with the seal under way. */
  #sealed: Promise<void> = Promise.resolve();
  readonly #compactions: Compactions;
  #retrySequence = 0;
  /** The first sequence that the seal under way does not include; 0: no seal is running. */
  #frozenSequence = 0;
  #yielder: Yielder | null = null;
  #sealError: unknown;
  #compactionError: unknown = null;

  constructor(readonly store: Store) {
    this.#sealError = store.options.full;
    this.#compactions = new Compactions(store);
  }

  /** The error of the last seal, or else of the last compaction; null if both succeeded. */
  get lastError(): unknown {
    return this.#sealError ?? this.#compactionError;
  }

  /** Called between commits: starts a seal if heads or journal have grown enough. If one is still under way, hurries it and waits for it. */
  async afterCommit(): Promise<void> {
    if (!isSealDue(this.store, this.#frozenSequence) || this.store.nextSequence < this.#retrySequence) return;
    this.#yielder?.hurry();
    await this.#sealed;
    if (this.store.nextSequence < this.#retrySequence) return;
    try {
      const frozen = await freeze(this.store);
      this.#begin(frozen).then(() => this.#compactInBackground(), () => undefined);
    } catch (error) {
      this.#postpone(error);
    }
  }

  /** Seals everything now, and then compacts. @throws storage_full, and what writing files throws */
  sealAll(queue: IngestQueue): Promise<void> {
    return this.#compactions.urgent(async () => {
      await this.#sealNow(queue);
      await this.#compact();
    });
  }

  stopCompactions(): void {
    this.#compactions.end();
  }

  /** Seals everything, then runs small compactions only. Nothing else may be under way. @throws as `sealAll` */
  async end(queue: IngestQueue): Promise<void> {
    await this.#sealNow(queue);
    this.#compactions.endSoon();
    await this.#compact();
  }

  /** Runs `act` while no commit, seal or compaction is under way; on a full disk, reruns it with the reserve given up. @throws what `act` throws */
  exclusive(queue: IngestQueue, act: () => Promise<void>): Promise<void> {
    return queue.exclusive(() =>
      this.#compactions.paused(async () => {
        await this.#sealed;
        await (this.store.storage.reserve?.use(act) ?? act());
      }),
    );
  }

  /** Seals everything, then runs `act`, which removes rows, before anything else is committed; resolves when their files are gone. */
  async removing(queue: IngestQueue, waitForReaders: WaitForReaders, act: () => Promise<RemovedRows>): Promise<void> {
    let whenUnread: Promise<void> = Promise.resolve();
    await this.exclusive(queue, async () => {
      await this.#begin(await freeze(this.store));
      this.#compactInBackground();
      ({ whenUnread } = await act());
      queue.forget();
    });
    // Ingest goes on meanwhile: a slow reader delays only this call.
    await waitForReaders(whenUnread);
    await this.exclusive(queue, async () => {
      await this.store.refuseTakenOver();
      await this.store.removeOrphans();
    });
  }

  idle(): Promise<void> {
    return this.#compactions.paused(() => this.#sealed);
  }

  async #sealNow(queue: IngestQueue): Promise<void> {
    let sealing: Promise<void> | null = null;
    await queue.exclusive(async () => {
      await this.#sealed;
      const frozen = await freeze(this.store);
      // Started inside the exclusive task: so there is never more than one seal.
      sealing = this.#begin(frozen);
    });
    await sealing;
  }

  /** Records the error of a seal; the commits before it are durable, so their callers do not see it. */
  #postpone(error: unknown): void {
    this.#sealError = error;
    this.#retrySequence = this.store.nextSequence + RETRY_RECORD_COUNT;
  }

  #begin(frozen: Frozen): Promise<void> {
    this.#frozenSequence = frozen.nextSequence;
    this.#yielder = frozen.yielder;
    const sealing = this.#throwIfTakenOver(seal(this.store, frozen)).finally(() => {
      this.#frozenSequence = 0;
      this.#yielder = null;
    });
    this.#sealed = sealing.then(
      () => void (this.#sealError = null),
      (error: unknown) => this.#postpone(error),
    );
    return sealing;
  }

  #compactInBackground(): void {
    this.#compact().catch(() => undefined);
  }

  async #compact(): Promise<void> {
    try {
      await this.#throwIfTakenOver(this.#compactions.run());
      this.#compactionError = null;
    } catch (error) {
      this.#compactionError = error;
      throw error;
    }
  }

  /** Awaits work; if it fails because another process has taken over the store, throws that error instead. */
  async #throwIfTakenOver(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      await this.store.refuseTakenOver();
      throw error;
    }
  }
}
