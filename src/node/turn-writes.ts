/** Longest that an answer waits for others, in ms. */
const WAIT_MS_MAX = 1;

/**
 * Writes together what one turn of the event loop brings, at its end. Callers on the same machine that are woken one by one
 * take the processor away from the answers that are still to be made.
 */
export class TurnWrites {
  #waiting: (() => void)[] = [];
  #sinceMs = 0;

  constructor(readonly clock: () => number = () => performance.now()) {}

  /** Calls `write` before the event loop waits for anything. */
  add(write: () => void): void {
    const nowMs = this.clock();
    if (this.#waiting.push(write) === 1) {
      this.#sinceMs = nowMs;
      setImmediate(() => this.#flush());
    } else if (nowMs - this.#sinceMs > WAIT_MS_MAX) this.#flush();
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const write of waiting) write();
  }
}
