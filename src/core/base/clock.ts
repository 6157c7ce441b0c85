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
