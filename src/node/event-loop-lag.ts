import { performance } from "node:perf_hooks";

/** How often the lateness of timers is looked at. */
const TICK_MS = 10;
const NEWEST_SHARE = 0.2;
/** No single task counts for more: alone it must not look like overload, however long it is. */
const LATE_MS_MAX = 200;

export interface EventLoopLag {
  /** How late timers are of late, in ms. */
  readonly lagMs: () => number;
  /** Measures no more; keeps no process from ending. */
  stop(): void;
}

/** How late timers were on the average, the newest counting most. */
export class Lateness {
  #averageMs = 0;

  get averageMs(): number {
    return this.#averageMs;
  }

  add(lateMs: number): void {
    this.#averageMs += NEWEST_SHARE * (Math.min(Math.max(0, lateMs), LATE_MS_MAX) - this.#averageMs);
  }
}

/** Measures how far this thread is behind with its work, from now on. Does not keep the process alive. */
export function eventLoopLag(): EventLoopLag {
  const lateness = new Lateness();
  let dueMs = performance.now() + TICK_MS;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    lateness.add(nowMs - dueMs);
    dueMs = nowMs + TICK_MS;
  }, TICK_MS);
  timer.unref();
  return { lagMs: () => lateness.averageMs, stop: () => clearInterval(timer) };
}
