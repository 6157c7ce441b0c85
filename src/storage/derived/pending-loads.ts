/** Loads that tables need to reach a snapshot: run them, then retry on a fresh one, so that rows, links and tables are of the same tick. */
export class PendingLoads {
  readonly #loads: (() => Promise<void>)[] = [];

  get isEmpty(): boolean {
    return this.#loads.length === 0;
  }

  /** @param load loads it into memory, from the rows of this snapshot */
  add(load: () => Promise<void>): void {
    this.#loads.push(load);
  }

  /** Starts all loads in this tick, because tables may consume newer rows in the next. Settles after the last load, even if one fails. */
  async load(): Promise<void> {
    const loads = this.#loads.map((load) => load());
    await Promise.allSettled(loads);
    await Promise.all(loads);
  }
}
