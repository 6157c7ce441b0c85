/** So many may be at something at once; the others wait for their turn, in order. */
export class Slots {
  #freeCount: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#freeCount = count;
  }

  /** Resolves with what gives the slot back. Who no longer waits gives it back as well. */
  async take(): Promise<() => void> {
    if (this.#freeCount > 0) this.#freeCount -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return () => {
      const next = this.#waiting.shift();
      if (next === undefined) this.#freeCount += 1;
      else next();
    };
  }
}
