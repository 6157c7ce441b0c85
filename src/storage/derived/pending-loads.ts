/** Loads that tables need before a query can read them. Run them, then retry on a new snapshot: rows, links and tables must be of one moment. */
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
