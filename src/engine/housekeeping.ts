import type { Turns } from "../base/turn.js";
import { freeze, seal } from "../store/seal.js";
import type { Frozen } from "../store/seal.js";
import type { Store } from "../store/store.js";
import { Compactions } from "./compactions.js";
import type { IngestQueue } from "./ingest-queue.js";

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
  /** Seals with the compactions that follow them. */
  readonly #running = new Set<Promise<void>>();
  #retrySequence = 0;
  /** Where the rows begin that the seal under way does not have; 0: there is none. */
  #frozenSequence = 0;
  /** The pace of the seal under way. */
  #turns: Turns | null = null;
  /** What the last seal or compaction failed with; null when it went well. */
  lastError: unknown = null;

  constructor(readonly store: Store) {
    this.#compactions = new Compactions(store);
  }

  /** Called between commits: begins a seal where heads or journal have grown enough. Waits if one is still under way, which then hurries. */
  async afterCommit(): Promise<void> {
    if (!this.store.wantsSeal(this.#frozenSequence) || this.store.nextSequence < this.#retrySequence) return;
    this.#turns?.hurry();
    await this.#sealed;
    if (this.store.nextSequence < this.#retrySequence) return;
    try {
      this.#begin(await freeze(this.store)).catch((error: unknown) => this.#postpone(error));
    } catch (error) {
      this.#postpone(error);
    }
  }

  /** Seals everything now, and compacts. @throws storage_full, and what writing files throws */
  sealAll(queue: IngestQueue): Promise<void> {
    return this.#compactions.wanted(async () => {
      let sealing: Promise<void> | null = null;
      await queue.exclusive(async () => {
        await this.#sealed;
        const frozen = await freeze(this.store);
        // Begun before the next commit or seal can be: there is never more than one.
        sealing = this.#begin(frozen);
      });
      await sealing;
    });
  }

  /** Seals everything, and compacts what is soon done. @throws as `sealAll` */
  async end(queue: IngestQueue): Promise<void> {
    this.#compactions.end();
    await this.idle();
    await this.sealAll(queue);
  }

  /** Runs `act` while no commit, seal or compaction is under way. @throws what `act` throws */
  exclusive(queue: IngestQueue, act: () => Promise<void>): Promise<void> {
    return queue.exclusive(() =>
      this.#compactions.stopped(async () => {
        await this.#settled();
        await act();
      }),
    );
  }

  /** Seals everything, then runs `act` before anything else is committed. @throws what sealing and `act` throw */
  exclusiveSealed(queue: IngestQueue, act: () => Promise<void>): Promise<void> {
    return this.exclusive(queue, async () => {
      await this.#begin(await freeze(this.store));
      await act();
    });
  }

  /** Resolves when no seal and no compaction is under way; compactions that have not begun are left for later. */
  idle(): Promise<void> {
    return this.#compactions.stopped(() => this.#settled());
  }

  async #settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  /** The commit before it stands: those who wait for it are not to hear of a seal that failed. */
  #postpone(error: unknown): void {
    this.lastError = error;
    this.#retrySequence = this.store.nextSequence + RETRY_RECORD_COUNT;
  }

  /** Ends with the compactions that the seal made worth while. They may take long: nothing of the seal is held meanwhile. */
  #begin(frozen: Frozen): Promise<void> {
    const running = this.#sealAndCompact(this.#seal(frozen)).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }

  #seal(frozen: Frozen): Promise<void> {
    this.#frozenSequence = frozen.nextSequence;
    this.#turns = frozen.turns;
    const sealing = seal(this.store, frozen).finally(() => {
      this.#frozenSequence = 0;
      this.#turns = null;
    });
    this.#sealed = sealing.then(() => undefined, (error: unknown) => this.#postpone(error));
    return sealing;
  }

  async #sealAndCompact(sealing: Promise<unknown>): Promise<void> {
    try {
      await sealing;
      await this.#compactions.run();
    } catch (error) {
      // Files that went are no defect where somebody else has taken the store over.
      await this.store.refuseTakenOver();
      throw error;
    }
    this.lastError = null;
  }
}
