import { toHex } from "../../base/hash.js";
import { LIMITS } from "../../base/limits.js";
import type { Clock } from "../../base/clock.js";

/** An id that was handed out, and when. */
interface Handed {
  readonly id: string;
  readonly atMs: number;
}

/**
 * Hands out ids for what says neither who it is nor when it was: the same again within a moment is the same thing sent again. Ids are random, so
 * that nobody can find out by them from where something was sent.
 */
export class Repeats {
  readonly #secret = toHex(globalThis.crypto.getRandomValues(new Uint8Array(32)));
  /** By hash, in order of time. */
  readonly #handed = new Map<string, Handed>();

  constructor(
    readonly clock: Clock,
    readonly sha256Hex: (text: string) => string,
  ) {}

  /** @param text everything that tells it from others, the sender's address too: of it only a hash is kept, and for a moment */
  idOf(text: string): string {
    const nowMs = this.clock.now();
    const key = this.sha256Hex(`${this.#secret}\0${text}`);
    const known = this.#handed.get(key);
    if (known !== undefined && isFresh(known, nowMs)) return known.id;
    this.#forget(nowMs);
    const id = globalThis.crypto.randomUUID();
    this.#handed.delete(key);
    this.#handed.set(key, { id, atMs: nowMs });
    return id;
  }

  #forget(nowMs: number): void {
    for (const [key, handed] of this.#handed) {
      if (isFresh(handed, nowMs) && this.#handed.size < LIMITS.rememberedRepeatCount) return;
      this.#handed.delete(key);
    }
  }
}

function isFresh({ atMs }: Handed, nowMs: number): boolean {
  return Math.abs(nowMs - atMs) < LIMITS.repeatMs;
}
