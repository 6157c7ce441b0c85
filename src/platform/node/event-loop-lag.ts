import { performance } from "node:perf_hooks";

/** How often the delay of timers is measured. */
const TICK_MS = 10;
const NEWEST_SHARE = 0.2;
/** Limit of one sample: a single task, however long, must not look like overload. */
const DELAY_MS_MAX = 200;

export interface EventLoopLag {
  /** Recent delay of timers, in ms. */
  readonly lagMs: () => number;
  /** Stops measuring. */
  stop(): void;
}

export class AverageDelay {
  #averageMs = 0;

  get averageMs(): number {
    return this.#averageMs;
  }

  add(delayMs: number): void {
    this.#averageMs += NEWEST_SHARE * (Math.min(Math.max(0, delayMs), DELAY_MS_MAX) - this.#averageMs);
  }
}

/** Starts to measure how far the event loop of this thread lags. Does not keep the process alive. */
export function eventLoopLag(): EventLoopLag {
  const average = new AverageDelay();
  let dueMs = performance.now() + TICK_MS;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    average.add(nowMs - dueMs);
    dueMs = nowMs + TICK_MS;
  }, TICK_MS);
  timer.unref();
  return { lagMs: () => average.averageMs, stop: () => clearInterval(timer) };
}

/** Gauges of this process, under their usual Prometheus names. */
export function processGauges(): Record<string, number> {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return {
    process_resident_memory_bytes: rss,
    process_heap_bytes: heapUsed,
    process_cpu_seconds: (user + system) / 1e6,
    process_uptime_seconds: process.uptime(),
  };
}
