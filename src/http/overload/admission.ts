import { DaybookError } from "../../base/errors.js";
import type { HandlerLimits } from "./limits.js";
import { ParsePace } from "./parse-pace.js";
import { ParseRoom } from "./parse-room.js";

/** Below it, parsing takes less time than waiting for a turn. */
const SHORT_BODY_BYTES = 16 * 1024;

/** Bytes that one request holds in memory. */
export interface Held {
  /** Counts bytes that have arrived or were inflated. @throws overloaded */
  take(byteLength: number): void;
  /** Counts nothing, but tells whether so many bytes are worth reading. @throws overloaded */
  expect(byteLength: number): void;
  /** Resolves when a body of so many bytes may be parsed, one to be written once there is room for what it becomes; null: now. Called once. */
  parseTurn(byteLength: number, isWritten: boolean): Promise<void> | null;
  release(): void;
}

/** Refuses requests before they cost anything, while there is too much to do. */
export class Admission {
  // Made once: the stack that comes with an error takes longer to make than the rest of a refusal.
  readonly #late = new DaybookError("overloaded", "requests come in faster than they can be answered");
  readonly #tooMany: DaybookError;
  readonly #underWay = new Map<string, number>();
  readonly #pace = new ParsePace();
  readonly #rooms = new Map<string, ParseRoom>();
  #heldByteLength = 0;

  constructor(
    readonly limits: HandlerLimits,
    readonly lagMs: () => number,
  ) {
    this.#tooMany = tooManyOfToken(limits);
  }

  /** @throws overloaded */
  refuseLate(): void {
    if (this.lagMs() > this.limits.eventLoopLagMs) throw this.#late;
  }

  /** Counts a request of a token until the answer of this call is called. @throws rate_limited */
  enter(sha256: string): () => void {
    const count = this.#underWay.get(sha256) ?? 0;
    if (count >= this.limits.requestsPerTokenCount) throw this.#tooMany;
    this.#underWay.set(sha256, count + 1);
    return () => {
      const left = (this.#underWay.get(sha256) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(sha256);
      else this.#underWay.set(sha256, left);
    };
  }

  /** What one request of an organization will hold. A request that is alone is let in whatever it brings: its route has a bound of its own. */
  hold(organization: string): Held {
    let own = 0;
    let leave: (() => void) | null = null;
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
      parseTurn: (byteLength, isWritten) => {
        if (byteLength < SHORT_BODY_BYTES) return null;
        if (!isWritten) return this.#pace.wait(byteLength);
        const room = this.#roomOf(organization);
        const entered = room.enter(byteLength);
        leave = () => room.leave(byteLength);
        return entered === null ? this.#pace.wait(byteLength) : entered.then(() => this.#pace.wait(byteLength));
      },
      release: () => {
        leave?.();
        this.#heldByteLength -= own;
        own = 0;
      },
    };
  }

  #roomOf(organization: string): ParseRoom {
    const room = this.#rooms.get(organization) ?? new ParseRoom();
    this.#rooms.set(organization, room);
    return room;
  }
}

export function tooManyOfToken({ requestsPerTokenCount }: HandlerLimits): DaybookError {
  return new DaybookError("rate_limited", `expected at most ${requestsPerTokenCount} requests of one token at a time`);
}
