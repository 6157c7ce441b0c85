/** The source of `now`, injected everywhere so that every result is a function of its input. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
}

/** The system clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** The same clock in whole milliseconds, the unit in which instants are stored. */
export function wholeClock(clock: Clock): Clock {
  return { now: () => Math.floor(clock.now()) };
}

/** A clock that stands still until it is set. */
export function fixedClock(nowMs: number): Clock & { set(nowMs: number): void } {
  let current = nowMs;
  return {
    now: () => current,
    set: (next) => {
      current = next;
    },
  };
}

/** Waits; ends early when the signal is aborted. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** A system timer, which does not keep the process alive. */
export const timer: Wait = (ms, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(handle);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const handle = setTimeout(end, ms);
    (handle as { unref?(): void }).unref?.();
    signal.addEventListener("abort", end);
  });
