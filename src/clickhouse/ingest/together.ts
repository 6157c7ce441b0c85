/** Groups that are under way at once. Each takes several statements, so that one that waits for a slow server must not keep all others. */
const GROUP_COUNT = 4;

interface Waiting<Item> {
  readonly item: Item;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Runs what waits as one group, as soon as there are not too many under way: a server takes few inserts of many rows sooner than many of few. */
export class Together<Item> {
  #waiting: Waiting<Item>[] = [];
  #underWayCount = 0;

  /** @param itemCountMax items of one group */
  constructor(
    readonly itemCountMax: number,
    readonly run: (items: readonly Item[]) => Promise<void>,
  ) {}

  /** Resolves when the group of this one has run. @throws what the group throws */
  add(item: Item): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ item, done, failed });
      this.#begin();
    });
  }

  #begin(): void {
    while (this.#underWayCount < GROUP_COUNT && this.#waiting.length > 0) {
      const group = this.#waiting.slice(0, this.itemCountMax);
      this.#waiting = this.#waiting.slice(this.itemCountMax);
      this.#underWayCount += 1;
      void this.#runGroup(group);
    }
  }

  async #runGroup(group: readonly Waiting<Item>[]): Promise<void> {
    try {
      await this.run(group.map(({ item }) => item));
      for (const { done } of group) done();
    } catch (error) {
      for (const { failed } of group) failed(error);
    }
    this.#underWayCount -= 1;
    this.#begin();
  }
}
