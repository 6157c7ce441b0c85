import { LIMITS } from "../base/limits.js";
import { Turns } from "../base/turn.js";
import type { Segment } from "../segment/segment.js";
import { compact, groupsToCompact, mostOfOneDay } from "../store/compact.js";
import type { Store } from "../store/store.js";

/**
 * Merges small segments, one group after the other. It takes a tenth of the thread that ingest could have, so it waits for a
 * quiet moment, unless somebody waits for it or a day has far too many segments.
 */
export class Compactions {
  #running: Promise<void> | null = null;
  /** Ends the wait for a quiet moment. */
  #hasten: () => void = () => undefined;
  /** Acts during which there is no waiting, and acts during which none begins. */
  #wantingCount = 0;
  #stoppingCount = 0;
  #isEnding = false;
  /** Where the rows begin that came since the last look. */
  #lookedSequence = -Infinity;

  constructor(readonly store: Store) {}

  /** Resolves when there is nothing to merge, or none may begin. @throws what reading and writing files throws */
  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => (this.#running = null));
    return this.#running;
  }

  /** Somebody waits for `act`, which waits for all merging. */
  async wanted(act: () => Promise<void>): Promise<void> {
    this.#wantingCount += 1;
    this.#hasten();
    await act().finally(() => (this.#wantingCount -= 1));
  }

  /** While `act` runs no merge begins; one that is under way is not broken off. */
  async stopped(act: () => Promise<void>): Promise<void> {
    this.#stoppingCount += 1;
    this.#hasten();
    await act().finally(() => (this.#stoppingCount -= 1));
  }

  /** From now on only what is soon done: nobody waits long for a program to end. */
  end(): void {
    this.#isEnding = true;
  }

  /** Looks again after each: a seal may have brought more. */
  async #run(): Promise<void> {
    while (this.#stoppingCount === 0) {
      const { segments } = this.store.catalog;
      const group = groupsToCompact(segments).find((one) => !this.#isEnding || rowCountOf(one) <= LIMITS.headRowCount);
      if (group === undefined) return;
      const isLate = mostOfOneDay(segments) > LIMITS.segmentsPerLateDayCount;
      if (!isLate && this.#wantingCount === 0 && !(await this.#isQuiet())) continue;
      const turns = new Turns();
      if (isLate) turns.hurry();
      await compact(this.store, group, turns);
    }
  }

  /** Whether next to nothing came since the last look, or comes for a moment, which ends when somebody begins to wait. */
  async #isQuiet(): Promise<boolean> {
    const { nextSequence } = this.store;
    if (nextSequence - this.#lookedSequence <= LIMITS.quietRowCount) return true;
    await new Promise<void>((resolve) => {
      this.#hasten = resolve;
      const timer: unknown = setTimeout(resolve, LIMITS.quietMs);
      // What a process has not merged is no reason to go on.
      (timer as { unref?: () => void }).unref?.();
    });
    this.#lookedSequence = nextSequence;
    return this.#stoppingCount === 0 && this.store.nextSequence - nextSequence <= LIMITS.quietRowCount;
  }
}

function rowCountOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { rowCount }) => sum + rowCount, 0);
}
