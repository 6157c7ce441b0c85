import { setImmediate } from "node:timers/promises";
import type { Storage } from "daybook";
import type { Random } from "daybook/testing";
import { lastingMemory } from "../store/objects.js";

/** A storage in memory whose reads wait until they are let go, one by one in any order. */
export class HeldReads {
  isHolding = true;
  readonly #waiting: (() => void)[] = [];
  readonly storage: Storage;

  constructor() {
    const storage = lastingMemory();
    this.storage = {
      list: (prefix) => storage.list(prefix),
      read: async (key, range) => {
        if (this.isHolding) await new Promise<void>((resolve) => this.#waiting.push(resolve));
        return await storage.read(key, range);
      },
      write: (key, bytes, options) => storage.write(key, bytes, options),
      remove: (key) => storage.remove(key),
      sync: (keys) => storage.sync(keys),
      openAppend: (key) => storage.openAppend(key),
    };
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  letGo(random: Random): void {
    if (this.#waiting.length > 0) this.#waiting.splice(random.below(this.#waiting.length), 1)[0]?.();
  }

  /** Lets reads go until something is done. */
  async until<T>(done: Promise<T>, random: Random): Promise<T> {
    let isDone = false;
    const ended = done.finally(() => (isDone = true));
    while (!isDone) {
      this.letGo(random);
      await setImmediate();
    }
    return await ended;
  }
}
