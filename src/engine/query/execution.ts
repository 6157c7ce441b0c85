import { DaybookError } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { yieldToEventLoop } from "../../core/base/yield.js";

/** The work of one query, as counts: tests assert these because times are unreliable. */
export interface QueryStats {
  /** Segments and heads read, and those skipped by zone maps and times alone. */
  segmentCount: number;
  prunedCount: number;
  /** Segments, and heads without newer rows, whose part of the answer an earlier query cached. */
  keptCount: number;
  /** Rows of the segments and heads read; of heads with a cached answer, only the newer ones. */
  rowCount: number;
  /** Segments with a column that had to be read from storage. */
  loadCount: number;
  /** Dictionary values tested by filters. */
  dictionaryValueCount: number;
}

export function newStats(): QueryStats {
  return { segmentCount: 0, prunedCount: 0, keptCount: 0, rowCount: 0, loadCount: 0, dictionaryValueCount: 0 };
}

/** Shared: queries call `yieldSometimes` often and rarely pause. */
const NO_PAUSE = Promise.resolve();

/** Yields to other work, and checks the signal, when a query has held the thread for a slice. */
export class Slices {
  #startMs = performance.now();

  /** @param signal absent: the query runs without yielding */
  constructor(readonly signal: Pick<AbortSignal, "aborted"> | undefined) {}

  /** @throws aborted */
  yieldSometimes(): Promise<void> {
    if (this.signal === undefined) return NO_PAUSE;
    if (performance.now() - this.#startMs >= LIMITS.sliceMs) return this.#pause(this.signal);
    return this.signal.aborted ? Promise.reject(stopped()) : NO_PAUSE;
  }

  /** Waits for something that goes on whether or not this query is stopped. @throws aborted */
  async until<T>(done: Promise<T>): Promise<T> {
    const { signal } = this;
    if (signal === undefined) return await done;
    let isDone = false;
    const ended = done.finally(() => (isDone = true));
    ended.catch(() => undefined);
    while (!isDone) {
      await Promise.race([ended, pauseMs(LIMITS.sliceMs)]);
      if (signal.aborted) throw stopped();
    }
    return await ended;
  }

  async #pause(signal: Pick<AbortSignal, "aborted">): Promise<void> {
    await yieldToEventLoop();
    this.#startMs = performance.now();
    if (signal.aborted) throw stopped();
  }
}

function pauseMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The error of a query that was stopped by its signal. */
export function stopped(): DaybookError {
  return new DaybookError("aborted", "the query was stopped by its signal");
}
