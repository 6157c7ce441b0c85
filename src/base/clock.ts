/** Where `now` comes from. Injected everywhere, so that every answer is a function of its input. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
}

/** The clock of the machine. */
export const systemClock: Clock = { now: () => Date.now() };

/** The same in whole milliseconds, as instants are stored. */
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
