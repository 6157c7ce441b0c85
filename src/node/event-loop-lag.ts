import { performance } from "node:perf_hooks";

/** How often the lateness of timers is looked at. */
const TICK_MS = 10;
/** Share of the newest look in the average: one long task alone does not count as overload, a tenth of a second of them does. */
const NEWEST_SHARE = 0.2;

export interface EventLoopLag {
  /** How late timers are of late, in ms. */
  readonly lagMs: () => number;
  stop(): void;
}

/** Measures how far this thread is behind with its work. Does not keep the process alive. */
export function eventLoopLag(): EventLoopLag {
  let averageMs = 0;
  let dueMs = performance.now() + TICK_MS;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    averageMs += NEWEST_SHARE * (Math.max(0, nowMs - dueMs) - averageMs);
    dueMs = nowMs + TICK_MS;
  }, TICK_MS);
  timer.unref();
  return { lagMs: () => averageMs, stop: () => clearInterval(timer) };
}
