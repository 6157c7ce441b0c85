import type { Turns } from "../../base/turn.js";
import { freeze, seal, wantsSeal } from "../../store/upkeep/seal.js";
import type { Frozen } from "../../store/upkeep/seal.js";
import type { Removal } from "../../store/upkeep/exchange.js";
import type { Store } from "../../store/live/store.js";
import { Compactions } from "./compactions.js";
import type { IngestQueue } from "../ingest/queue.js";

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
  async removing(queue: IngestQueue, untilUnread: UntilUnread, act: () => Promise<Removal>): Promise<void> {
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
