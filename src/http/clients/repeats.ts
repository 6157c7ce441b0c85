import { toHex } from "../../core/base/hash.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import type { Clock } from "../../core/base/clock.js";

/** One of several equal items. */
export interface Handed {
  readonly id: string;
  readonly nth: number;
  /** When it was answered; null: not yet. */
  answeredMs: number | null;
  /** True: it was refused, so the client will certainly resend it. */
  isFailed: boolean;
}

/** Equal items. Those without a pause between them are distinct; those after a pause repeat the ones before it. */
interface Equal {
  lastMs: number;
  /** Since the last pause. */
  newer: Handed[];
  /** Before the last pause. */
  older: Handed[];
}

/**
 * Assigns ids to items that a client resends without one. It resends after a pause: what comes sooner, or much later, is new.
 * Ids of items without a time are random, so that they do not reveal where something was sent from.
 */
export class Repeats {
  readonly #secret = toHex(globalThis.crypto.getRandomValues(new Uint8Array(32)));
  /** By hash, the most recent one last. */
  readonly #handed = new Map<string, Equal>();
  #count = 0;

  constructor(
    readonly clock: Clock,
    readonly sha256Hex: (text: string) => string,
  ) {}

  /**
   * @param text everything that distinguishes the item, the sender's address included; only a hash of it is kept, and briefly
   * @param atMs time of receipt, epoch ms
   * @param named makes an id from the index among equal items, from 1; null: random
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

  /** Records the outcome of an item. */
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
