import { Turns } from "../../base/turn.js";
import { freeze, seal, wantsSeal, type Frozen } from "../../store/upkeep/seal.js";
import type { RemovedRows } from "../../store/upkeep/exchange.js";
import type { Store } from "../../store/live/store.js";
import { LIMITS } from "../../base/limits.js";
import { compact, compactionsDue, type Due } from "../../store/upkeep/compact.js";
import type { IngestQueue } from "../ingest/queue.js";

/** What a segment costs beside its rows, in rows: opening and removing a file. */
const ROWS_PER_SEGMENT = 4_096;

/**
 * Merges small segments, one group after the other. It takes a tenth of the thread that ingest could have, so it waits for a
 * quiet moment, unless somebody waits for it or there are far too many segments.
 */
class Compactions {
  #running: Promise<void> | null = null;
  /** Ends, and never rejects, with the merge under way. */
  #merging: Promise<unknown> = Promise.resolve();
  /** Ends the wait for a quiet moment, or for the end of an act during which none begins. */
  #hasten: () => void = () => undefined;
  /** Acts during which there is no waiting, and acts during which none begins. */
  #wantingCount = 0;
  #stoppingCount = 0;
  /** The pace of the merge under way. */
  #turns: Turns | null = null;
  /** What may still be merged, in rows; 0: no merge begins any more. */
  #room = Infinity;
  /** Where the rows began that came since the last look. */
  #lookedSequence = -Infinity;

  constructor(readonly store: Store) {}

  /** Resolves when there is nothing to merge, or none may be merged any more. @throws what reading and writing files throws */
  run(): Promise<void> {
    // There may be too many by now to wait any longer.
    this.#hasten();
    this.#running ??= this.#run().finally(() => (this.#running = null));
    return this.#running;
  }

  /** Somebody waits for `act`, which waits for all merging. */
  async wanted(act: () => Promise<void>): Promise<void> {
    this.#wantingCount += 1;
    this.#hasten();
    await act().finally(() => (this.#wantingCount -= 1));
  }

  /** Calls `act` once the merge under way is done; none begins until it is over. */
  async stopped(act: () => Promise<void>): Promise<void> {
    this.#stoppingCount += 1;
    // Ingest stands still meanwhile.
    this.#turns?.hurry();
    try {
      await this.#merging;
      await act();
    } finally {
      this.#stoppingCount -= 1;
      this.#hasten();
    }
  }

  /** From now on no merge begins. */
  end(): void {
    this.#room = 0;
    this.#hasten();
  }

  /** Only what is soon done may be merged: nobody waits long for a program to end. */
  endSoon(): void {
    this.#room = LIMITS.lastMergedRowCount;
  }

  /** Looks again after each: a seal may have brought more. */
  async #run(): Promise<void> {
    while (this.store.isWritable) {
      const due = compactionsDue(this.store.catalog.segments);
      const isLate = due.some(isFarTooMany) || segmentCountOf(due) > LIMITS.segmentsToMergeCount;
      const next = isLate && this.#room > 0 ? due[0] : due.find((one) => costOf(one) <= this.#room);
      if (next === undefined) return;
      const isWaiting = !isLate && this.#wantingCount === 0 && this.#room === Infinity;
      if (this.#stoppingCount > 0) await this.#hastened();
      else if (isWaiting && !this.#isQuiet) await this.#lookAgain();
      else await this.#merge(next, isLate);
    }
  }

  async #merge(due: Due, isLate: boolean): Promise<void> {
    // Never 0, which is the end: where there are far too many, merging goes on without room.
    this.#room = Math.max(1, this.#room - costOf(due));
    const turns = new Turns();
    if (isLate) turns.hurry();
    this.#turns = turns;
    const merging = compact(this.store, due.group, turns).finally(() => (this.#turns = null));
    this.#merging = merging.catch(() => undefined);
    await merging;
  }

  /** Whether next to nothing came since the last look. */
  get #isQuiet(): boolean {
    return this.store.nextSequence - this.#lookedSequence <= LIMITS.quietRowCount;
  }

  async #lookAgain(): Promise<void> {
    const { nextSequence } = this.store;
    if (await this.#hastened(LIMITS.quietMs)) this.#lookedSequence = nextSequence;
  }

  /** Whether so many ms went by before it was hastened. */
  #hastened(ms?: number): Promise<boolean> {
    return new Promise((resolve) => {
      // What a process has not merged is no reason to go on.
      const timer = ms === undefined ? undefined : (setTimeout(() => resolve(true), ms) as { unref?: () => void });
      timer?.unref?.();
      this.#hasten = () => {
        clearTimeout(timer as Parameters<typeof clearTimeout>[0]);
        resolve(false);
      };
    });
  }
}

const isFarTooMany = ({ daySegmentCount }: Due) => daySegmentCount > LIMITS.segmentsPerLateDayCount;

function segmentCountOf(due: readonly Due[]): number {
  return due.reduce((sum, { daySegmentCount }) => sum + daySegmentCount, 0);
}

function costOf({ group }: Due): number {
  return group.reduce((sum, { rowCount }) => sum + rowCount + ROWS_PER_SEGMENT, 0);
}

/** Waits until nobody reads what was taken away: exports that nobody asks on are ended. @throws closed (the Daybook was closed meanwhile) */
export type UntilUnread = (whenUnread: Promise<void>) => Promise<void>;

/** Records to wait after a seal that failed, before it is tried again: the rows stay in heads, and in the journal where there is one. */
const RETRY_RECORD_COUNT = 65_536;

/**
 * Moves rows from heads to segments and merges small segments, behind the back of ingest and queries. One seal at a time, and
 * one compaction: seals do not wait for it.
 */
export class Housekeeping {
  /** Ends, and never rejects, with the seal under way. */
  #sealed: Promise<void> = Promise.resolve();
  readonly #compactions: Compactions;
  #retrySequence = 0;
  /** Where the rows begin that the seal under way does not have; 0: there is none. */
  #frozenSequence = 0;
  /** The pace of the seal under way. */
  #turns: Turns | null = null;
  #sealError: unknown;
  #compactionError: unknown = null;

  constructor(readonly store: Store) {
    this.#sealError = store.options.full;
    this.#compactions = new Compactions(store);
  }

  /** What the last seal failed with, or else the last compaction; null when both went well. */
  get lastError(): unknown {
    return this.#sealError ?? this.#compactionError;
  }

  /** Called between commits: begins a seal where heads or journal have grown enough. Waits if one is still under way, which then hurries. */
  async afterCommit(): Promise<void> {
    if (!wantsSeal(this.store, this.#frozenSequence) || this.store.nextSequence < this.#retrySequence) return;
    this.#turns?.hurry();
    await this.#sealed;
    if (this.store.nextSequence < this.#retrySequence) return;
    try {
      const frozen = await freeze(this.store);
      this.#begin(frozen).then(() => this.#compactBehind(), () => undefined);
    } catch (error) {
      this.#postpone(error);
    }
  }

  /** Seals everything now, and compacts. @throws storage_full, and what writing files throws */
  sealAll(queue: IngestQueue): Promise<void> {
    return this.#compactions.wanted(async () => {
      await this.#sealNow(queue);
      await this.#compact();
    });
  }

  /** From now on no compaction begins: the end is near. */
  compactNoMore(): void {
    this.#compactions.end();
  }

  /** Seals everything, and compacts what is soon done. Nothing else is under way. @throws as `sealAll` */
  async end(queue: IngestQueue): Promise<void> {
    await this.#sealNow(queue);
    this.#compactions.endSoon();
    await this.#compact();
  }

  /** Runs `act` while no commit, seal or compaction is under way; on a full disk with its reserve, from the beginning. @throws what `act` throws */
  exclusive(queue: IngestQueue, act: () => Promise<void>): Promise<void> {
    return queue.exclusive(() =>
      this.#compactions.stopped(async () => {
        await this.#sealed;
        await (this.store.storage.reserve?.use(act) ?? act());
      }),
    );
  }

  /**
   * Seals everything, then runs `act`, which takes rows away, before anything else is committed; resolves when their files are gone.
   * @throws what sealing and `act` throw
   */
  async removing(queue: IngestQueue, untilUnread: UntilUnread, act: () => Promise<RemovedRows>): Promise<void> {
    let whenUnread: Promise<void> = Promise.resolve();
    await this.exclusive(queue, async () => {
      await this.#begin(await freeze(this.store));
      this.#compactBehind();
      ({ whenUnread } = await act());
      queue.forget();
    });
    // Writing goes on meanwhile: a slow reader holds up this answer alone.
    await untilUnread(whenUnread);
    await this.exclusive(queue, async () => {
      await this.store.refuseTakenOver();
      await this.store.removeOrphans();
    });
  }

  /** Resolves when the seal and the compaction that are under way are done. */
  idle(): Promise<void> {
    return this.#compactions.stopped(() => this.#sealed);
  }

  async #sealNow(queue: IngestQueue): Promise<void> {
    let sealing: Promise<void> | null = null;
    await queue.exclusive(async () => {
      await this.#sealed;
      const frozen = await freeze(this.store);
      // Begun before the next commit or seal can be: there is never more than one.
      sealing = this.#begin(frozen);
    });
    await sealing;
  }

  /** The commit before it stands: those who wait for it are not to hear of a seal that failed. */
  #postpone(error: unknown): void {
    this.#sealError = error;
    this.#retrySequence = this.store.nextSequence + RETRY_RECORD_COUNT;
  }

  #begin(frozen: Frozen): Promise<void> {
    this.#frozenSequence = frozen.nextSequence;
    this.#turns = frozen.turns;
    const sealing = this.#own(seal(this.store, frozen)).finally(() => {
      this.#frozenSequence = 0;
      this.#turns = null;
    });
    this.#sealed = sealing.then(
      () => void (this.#sealError = null),
      (error: unknown) => this.#postpone(error),
    );
    return sealing;
  }

  /** In the background: what it fails with is kept. */
  #compactBehind(): void {
    this.#compact().catch(() => undefined);
  }

  async #compact(): Promise<void> {
    try {
      await this.#own(this.#compactions.run());
      this.#compactionError = null;
    } catch (error) {
      this.#compactionError = error;
      throw error;
    }
  }

  /** Files that went are no defect where somebody else has taken the store over. */
  async #own(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      await this.store.refuseTakenOver();
      throw error;
    }
  }
}
