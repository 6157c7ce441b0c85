import { hmacSha256, toHex } from "../../base/hash.js";
import type { DecodedRecord } from "../../identity/decode-record.js";
import { emailsInTraits } from "../../identity/emails.js";

/** What an id is: the same text may be erased as one and free as another. */
export type SuppressedKind = "userId" | "anonymousId" | "email";

/** Ids found free that are kept at hand; emptied when full. Erased ones are not kept. */
const FREE_COUNT_MAX = 100_000;

/** Keyed hashes of erased ids: what is about them and not newer than the erasure stays out. */
export class Suppression {
  readonly #key: Uint8Array;
  readonly #erasedAtMs: Map<string, number>;
  readonly #free = new Set<string>();

  /** @param entries hash and time of erasure, epoch ms */
  constructor(
    key: Uint8Array,
    entries: Iterable<readonly [string, number]>,
  ) {
    this.#key = key;
    this.#erasedAtMs = new Map(entries);
  }

  get isEmpty(): boolean {
    return this.#erasedAtMs.size === 0;
  }

  entries(): readonly (readonly [string, number])[] {
    return [...this.#erasedAtMs];
  }

  /** The same with more ids erased at a time. */
  with(ids: Iterable<readonly [SuppressedKind, string]>, atMs: number): Suppression {
    const entries = new Map(this.#erasedAtMs);
    for (const [kind, id] of ids) entries.set(this.#hashOf(kind, id), atMs);
    return new Suppression(this.#key, entries);
  }

  /** Whether a record of this time about an id must stay out. `""` is nobody. Cost: an HMAC for each new id. */
  covers(kind: SuppressedKind, id: string, createdAtMs: number): boolean {
    if (id === "" || this.isEmpty) return false;
    const mark = `${kind}\0${id}`;
    if (this.#free.has(mark)) return false;
    const atMs = this.#erasedAtMs.get(this.#hashOf(kind, id));
    if (atMs !== undefined) return createdAtMs <= atMs;
    if (this.#free.size >= FREE_COUNT_MAX) this.#free.clear();
    this.#free.add(mark);
    return false;
  }

  /** Whether a record must stay out: for its ids, or for an email, also one in what others say. */
  coversRecord({ texts, createdAtMs }: DecodedRecord): boolean {
    if (this.isEmpty) return false;
    const covers = (kind: SuppressedKind, id: string) => this.covers(kind, id, createdAtMs);
    if (covers("userId", texts.userId) || covers("userId", texts.fromUserId) || covers("anonymousId", texts.anonymousId)) return true;
    return covers("email", texts.email) || emailsInTraits(texts.traits).some((email) => covers("email", email));
  }

  /** 128 bits of the HMAC, hex. */
  #hashOf(kind: SuppressedKind, id: string): string {
    return toHex(hmacSha256(this.#key, new TextEncoder().encode(`${kind}\0${id}`)).subarray(0, 16));
  }
}
