import type { Clock } from "../../core/base/clock.js";

export interface BucketRules {
  /** Capacity of a bucket; a new one is full. */
  readonly capacity: number;
  /** Refill per second. */
  readonly perSec: number;
  /** Maximum number of buckets; the oldest are dropped, so that a sender who varies its name cannot fill the memory. */
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

  /** Seconds until a bucket holds `count`; 0: it does now. A count above the capacity waits for a full bucket. */
  waitSec(name: string, count: number): number {
    const bucket = this.#byName.get(name);
    if (bucket === undefined) return 0;
    this.#refill(bucket);
    return Math.max(0, Math.min(count, this.rules.capacity) - bucket.left) / this.rules.perSec;
  }

  /** Takes `count` even if the bucket holds less: it goes negative, and later calls wait longer. */
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

/** Removes a key, or else the oldest one of a full collection, so that the caller can add the key as the newest. */
export function keepNewest<C extends Map<string, unknown> | Set<string>>(collection: C, key: string, countMax: number): C {
  collection.delete(key);
  if (collection.size < countMax) return collection;
  for (const oldest of collection.keys()) {
    collection.delete(oldest);
    break;
  }
  return collection;
}
