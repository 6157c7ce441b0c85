import { LIMITS } from "../../base/limits.js";
import type { Store } from "../../store/live/store.js";
import type { Wait } from "./timer.js";

export interface SweepOptions {
  /** The day that it is, days since 1970; null while nothing is ever past its time. */
  readonly today: () => number | null;
  /** @param signal once it is aborted nothing may be begun */
  readonly sweep: (signal: AbortSignal) => Promise<void>;
  readonly wait: Wait;
}

/** Sweeps a store by itself: once after its opening and once a day, each time in a quiet moment, or where there is none for an hour without one. */
export class Sweeps {
  readonly #stopping = new AbortController();
  #isRunning = false;
  #sweptDay = -Infinity;
  /** How often what is past its time became another. */
  #changeCount = 0;
  #lastError: unknown = null;

  constructor(
    readonly store: Store,
    readonly options: SweepOptions,
  ) {
    this.again();
  }

  get changeCount(): number {
    return this.#changeCount;
  }

  /** What the last sweep failed with; null when it went well. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** What is past its time is another now. */
  again(): void {
    this.#sweptDay = -Infinity;
    this.#changeCount += 1;
    if (this.#isRunning || this.options.today() === null || !this.store.isWritable) return;
    this.#isRunning = true;
    void this.#run();
  }

  /** Somebody did so by hand. */
  swept(day: number): void {
    this.#sweptDay = day;
    this.#lastError = null;
  }

  /** From now on none begins. One that has begun ends when nobody reads any more what it took away: nobody waits for that. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { today, sweep, wait } = this.options;
    const { signal } = this.#stopping;
    for (let busyCount = 0; ; ) {
      const day = today();
      // A clock that was ahead and was put right would else stop sweeps until its day comes.
      const isDue = day !== null && day !== this.#sweptDay;
      const { nextSequence } = this.store;
      await wait(isDue ? LIMITS.quietMs : LIMITS.sweepLookMs, signal);
      if (signal.aborted || !this.store.isWritable) return;
      if (!isDue) continue;
      busyCount += 1;
      if (this.store.nextSequence - nextSequence > LIMITS.quietRowCount && busyCount * LIMITS.quietMs < LIMITS.sweepLateMs) continue;
      busyCount = 0;
      try {
        const changes = this.#changeCount;
        await sweep(signal);
        if (changes === this.#changeCount) this.swept(day);
      } catch (error) {
        this.#lastError = error;
        // What failed is tried again, and not at once.
        await wait(LIMITS.sweepLookMs, signal);
      }
    }
  }
}
