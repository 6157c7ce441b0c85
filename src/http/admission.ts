import { DaybookError } from "../base/errors.js";
import type { HandlerLimits } from "./limits.js";
import { ParsePace } from "./parse-pace.js";

/** Bytes that one request holds in memory. */
export interface Held {
  /** Counts bytes that have arrived or were inflated. @throws overloaded */
  take(byteLength: number): void;
  /** Counts nothing, but tells whether so many bytes are worth reading. @throws overloaded */
  expect(byteLength: number): void;
  /** Resolves when a body of so many bytes may be parsed; null: now. */
  parseTurn(byteLength: number): Promise<void> | null;
  release(): void;
}

/** Refuses requests before they cost anything, while there is too much to do. */
export class Admission {
  readonly #underWay = new Map<string, number>();
  readonly #pace = new ParsePace();
  #heldByteLength = 0;

  constructor(
    readonly limits: HandlerLimits,
    readonly lagMs: () => number,
  ) {}

  /** @throws overloaded */
  refuseLate(): void {
    if (this.lagMs() > this.limits.eventLoopLagMs) throw new DaybookError("overloaded", "requests come in faster than they can be answered");
  }

  /** Counts a request of a token until the answer of this call is called. @throws rate_limited */
  enter(sha256: string): () => void {
    const count = this.#underWay.get(sha256) ?? 0;
    const bound = this.limits.requestsPerTokenCount;
    if (count >= bound) throw new DaybookError("rate_limited", `expected at most ${bound} requests of one token at a time`);
    this.#underWay.set(sha256, count + 1);
    return () => {
      const left = (this.#underWay.get(sha256) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(sha256);
      else this.#underWay.set(sha256, left);
    };
  }

  /** What one request will hold. A request that is alone is let in whatever it brings: its route has a bound of its own. */
  hold(): Held {
    let own = 0;
    const refuseOver = (byteLength: number) => {
      const others = this.#heldByteLength - own;
      if (others > 0 && others + own + byteLength > this.limits.heldBodyBytes) throw new DaybookError("overloaded", "too many bytes are waiting");
    };
    return {
      expect: refuseOver,
      take: (byteLength) => {
        refuseOver(byteLength);
        own += byteLength;
        this.#heldByteLength += byteLength;
      },
      parseTurn: (byteLength) => this.#pace.wait(byteLength),
      release: () => {
        this.#heldByteLength -= own;
        own = 0;
      },
    };
  }
}
