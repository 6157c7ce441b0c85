/** Maximum time that an item waits for others, in ms. */
const WAIT_MS_MAX = 1;

/** Collects the items of one turn of the event loop and passes them on together at its end. */
export class TickBatch<Item> {
  #waiting: Item[] = [];
  #sinceMs = 0;

  constructor(
    readonly onItems: (items: readonly Item[]) => void,
    readonly clock: () => number = () => performance.now(),
  ) {}

  /** Adds an item, which is passed on before the event loop waits for I/O or timers. */
  add(item: Item): void {
    const nowMs = this.clock();
    if (this.#waiting.push(item) === 1) {
      this.#sinceMs = nowMs;
      setImmediate(() => this.flush());
    } else if (nowMs - this.#sinceMs > WAIT_MS_MAX) this.flush();
  }

  flush(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    this.onItems(waiting);
  }
}
