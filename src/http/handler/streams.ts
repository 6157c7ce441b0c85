import { DaybookError } from "../../base/errors.js";
import type { BodyStream } from "../wire/exchange.js";

/** Counts streams that are open, by token: each is a connection that stays. */
export class Streams {
  readonly #openCounts = new Map<string, number>();

  constructor(readonly streamsPerTokenCount: number) {}

  /** The same stream, counted until it ends. @throws rate_limited */
  counted(sha256: string, make: () => BodyStream): BodyStream {
    const count = this.#openCounts.get(sha256) ?? 0;
    if (count >= this.streamsPerTokenCount) throw new DaybookError("rate_limited", `expected at most ${this.streamsPerTokenCount} streams of one token at a time`);
    const stream = make();
    this.#openCounts.set(sha256, count + 1);
    let isOpen = true;
    const end = () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#openCounts.get(sha256) ?? 1) - 1;
      if (left === 0) this.#openCounts.delete(sha256);
      else this.#openCounts.set(sha256, left);
    };
    return {
      next: async () => {
        try {
          const piece = await stream.next();
          if (piece === null) end();
          return piece;
        } catch (error) {
          end();
          throw error;
        }
      },
      cancel: () => {
        end();
        stream.cancel();
      },
    };
  }
}
