/**
 * What is not in memory yet of a moment that tables were to be brought up to: it is loaded, and then tried again with the moment
 * of then. So whoever finds nothing missing has rows, links and tables of one turn.
 */
export class Missing {
  readonly #loads: (() => Promise<void>)[] = [];

  get isEmpty(): boolean {
    return this.#loads.length === 0;
  }

  /** @param load brings it into memory, from the rows of this moment */
  add(load: () => Promise<void>): void {
    this.#loads.push(load);
  }

  /**
   * Begins all loads in the turn of the call: by the next one, tables may have taken rows that this moment does not have. Ends with the last of
   * them, also where one fails.
   */
  async load(): Promise<void> {
    const loads = this.#loads.map((load) => load());
    await Promise.allSettled(loads);
    await Promise.all(loads);
  }
}
