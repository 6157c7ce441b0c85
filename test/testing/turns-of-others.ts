/** Counts turns of the event loop that others have. */
export class OthersTurns {
  #count = 0;
  #isOver = false;

  constructor() {
    setImmediate(() => this.#next());
  }

  get count(): number {
    return this.#count;
  }

  end(): void {
    this.#isOver = true;
  }

  #next(): void {
    this.#count += 1;
    if (!this.#isOver) setImmediate(() => this.#next());
  }
}

/** Turns of the event loop that others have while `act` runs. */
export async function turnsOfOthers(act: () => Promise<unknown>): Promise<number> {
  const turns = new OthersTurns();
  try {
    await act();
  } finally {
    turns.end();
  }
  return turns.count;
}
