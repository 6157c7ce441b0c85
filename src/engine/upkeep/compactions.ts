import { LIMITS } from "../../base/limits.js";
import { Turns } from "../../base/turn.js";
import { compact, compactionsDue } from "../../store/upkeep/compact.js";
import type { Due } from "../../store/upkeep/compact.js";
import type { Store } from "../../store/live/store.js";

/** What a segment costs beside its rows, in rows: opening and removing a file. */
const ROWS_PER_SEGMENT = 4_096;

/**
 * Merges small segments, one group after the other. It takes a tenth of the thread that ingest could have, so it waits for a
 * quiet moment, unless somebody waits for it or there are far too many segments.
 */
export class Compactions {
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
