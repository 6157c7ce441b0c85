import type { Wait } from "../../../src/core/base/time.js";

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/** A clock and timers that stand still until a test moves them. */
export class FakeTime {
  nowMs = 0;
  #sleepers: Sleeper[] = [];

  readonly wait: Wait = (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const wake = () => {
        signal.removeEventListener("abort", wake);
        this.#sleepers = this.#sleepers.filter((each) => each !== sleeper);
        resolve();
      };
      const sleeper = { atMs: this.nowMs + ms, wake };
      this.#sleepers.push(sleeper);
      signal.addEventListener("abort", wake);
    });

  /** Wakes all who sleep until then, in order, and lets each run before the next. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.nowMs + ms;
    await settled();
    for (;;) {
      const [next] = this.#sleepers.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.wake();
      await settled();
    }
    this.nowMs = untilMs;
  }
}

/** Every promise that needs no timer is settled. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
