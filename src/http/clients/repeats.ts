import { toHex } from "../../base/hash.js";
import { SERVER_LIMITS } from "../../base/server-limits.js";
import type { Clock } from "../../base/clock.js";

/** One of the things that were equal. */
export interface Handed {
  readonly id: string;
  readonly nth: number;
  /** When it was answered; null: it is under way. */
  answeredMs: number | null;
  /** True: it was refused, so the client sends it again for certain. */
  isFailed: boolean;
}

/** Things that were equal. Without a pause between them they are several; what comes after one are those that came before it, once more. */
interface Equal {
  lastMs: number;
  /** Since the last pause. */
  newer: Handed[];
  /** Before it. */
  older: Handed[];
}

/**
 * Hands out ids for what a client sends again without one. It does so after a pause: what comes sooner, or much later, is something new. Ids are
 * random where nothing says when it was, so that nobody can find out by them from where something was sent.
 */
export class Repeats {
  readonly #secret = toHex(globalThis.crypto.getRandomValues(new Uint8Array(32)));
  /** By hash, the one that came last at the end. */
  readonly #handed = new Map<string, Equal>();
  #count = 0;

  constructor(
    readonly clock: Clock,
    readonly sha256Hex: (text: string) => string,
  ) {}

  /**
   * @param text everything that tells it from others, the sender's address too: of it only a hash is kept, and for a moment
   * @param atMs when it came, epoch ms
   * @param named makes an id of which of equal things it is; null: it is random
   */
  handedTo(text: string, atMs: number, named: ((nth: number) => string) | null): Handed {
    const nowMs = this.clock.now();
    const key = this.sha256Hex(`${this.#secret}\0${text}`);
    const { lastMs, newer, older } = this.#take(key) ?? { lastMs: atMs, newer: [], older: [] };
    const isAfterPause = atMs - lastMs >= SERVER_LIMITS.repeatPauseMs;
    const equal: Equal = { lastMs: Math.max(lastMs, atMs), newer: isAfterPause ? [] : newer, older: isAfterPause ? [...older, ...newer] : older };
    if (isAfterPause) equal.older = equal.older.filter((each) => isFresh(each, nowMs));
    const known = equal.older.find(({ isFailed }) => isFailed) ?? equal.older[0];
    if (known !== undefined) equal.older.splice(equal.older.indexOf(known), 1);
    const nth = known?.nth ?? [...equal.older, ...equal.newer].reduce((most, each) => Math.max(most, each.nth), 0) + 1;
    const handed: Handed = { id: known?.id ?? named?.(nth) ?? globalThis.crypto.randomUUID(), nth, answeredMs: null, isFailed: false };
    equal.newer.push(handed);
    if (equal.older.length + equal.newer.length > SERVER_LIMITS.equalRepeatCount) (equal.older.length > 0 ? equal.older : equal.newer).shift();
    this.#put(key, equal);
    this.#forget(nowMs);
    return handed;
  }

  /** What was handed out is answered. */
  answered(handed: Handed, isFailed: boolean): void {
    handed.answeredMs = this.clock.now();
    handed.isFailed = isFailed;
  }

  #take(key: string): Equal | undefined {
    const equal = this.#handed.get(key);
    this.#handed.delete(key);
    if (equal !== undefined) this.#count -= countOf(equal);
    return equal;
  }

  #put(key: string, equal: Equal): void {
    this.#handed.set(key, equal);
    this.#count += countOf(equal);
  }

  #forget(nowMs: number): void {
    for (const [key, { newer }] of this.#handed) {
      const newest = newer.at(-1);
      if (this.#count <= SERVER_LIMITS.rememberedRepeatCount && newest !== undefined && isFresh(newest, nowMs)) return;
      this.#take(key);
    }
  }
}

function countOf({ newer, older }: Equal): number {
  return newer.length + older.length;
}

function isFresh({ answeredMs }: Handed, nowMs: number): boolean {
  return answeredMs === null || Math.abs(nowMs - answeredMs) < SERVER_LIMITS.repeatMs;
}
