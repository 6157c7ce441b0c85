import type { Clock } from "../../base/clock.js";

export interface BucketRules {
  /** What a full bucket holds: a new one is full. */
  readonly capacity: number;
  /** What comes back each second. */
  readonly perSec: number;
  /** Buckets that are remembered. Then the oldest go: whoever can vary their name must not fill the memory. */
  readonly bucketCountMax: number;
}

interface TokenBucket {
  left: number;
  atMs: number;
}

/** Token buckets by name. */
export class Buckets {
  readonly #byName = new Map<string, TokenBucket>();

  constructor(
    readonly rules: BucketRules,
    readonly clock: Clock,
  ) {}

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  /** Seconds until a bucket holds so much; 0: it does. More than it can hold comes when it is full. */
  waitSec(name: string, count: number): number {
    const bucket = this.#byName.get(name);
    if (bucket === undefined) return 0;
    this.#refill(bucket);
    return Math.max(0, Math.min(count, this.rules.capacity) - bucket.left) / this.rules.perSec;
  }

  /** Takes so much, whether it is there or not: then others wait the longer. */
  take(name: string, count: number): void {
    const bucket = this.#byName.get(name) ?? { left: this.rules.capacity, atMs: this.clock.now() };
    this.#refill(bucket);
    bucket.left -= count;
    keepNewest(this.#byName, name, this.rules.bucketCountMax).set(name, bucket);
  }

  clear(): void {
    this.#byName.clear();
  }

  #refill(bucket: TokenBucket): void {
    const nowMs = this.clock.now();
    bucket.left = Math.min(this.rules.capacity, bucket.left + (Math.max(0, nowMs - bucket.atMs) / 1_000) * this.rules.perSec);
    bucket.atMs = nowMs;
  }
}

/** Makes room for a key, which becomes the newest. */
export function keepNewest<C extends Map<string, unknown> | Set<string>>(collection: C, key: string, countMax: number): C {
  collection.delete(key);
  if (collection.size < countMax) return collection;
  for (const oldest of collection.keys()) {
    collection.delete(oldest);
    break;
  }
  return collection;
}
