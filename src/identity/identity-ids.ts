/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the list */
import { hash128 } from "../base/hash.js";
import type { Dictionaries } from "../column/dictionaries.js";
import type { Dictionary } from "../column/dictionary.js";
import { identityIdOf } from "./identity-id.js";

type IdRole = "user" | "anonymous";

/** Ids hashed in one go, about 2 ms. */
const STEP_COUNT = 1_000;

/** The first 32 bits of every id's hash, by code. Whoever has the same ones is told apart by the whole hash. */
class HashedIds {
  #starts = new Uint32Array(1024);
  #count = 0;

  constructor(
    readonly role: IdRole,
    readonly dictionary: Dictionary,
  ) {}

  /** Hashes some of the ids that are not yet hashed; answers whether all below `size` are. */
  grow(size: number): boolean {
    if (size > this.#starts.length) {
      const longer = new Uint32Array(2 ** Math.ceil(Math.log2(size)));
      longer.set(this.#starts);
      this.#starts = longer;
    }
    const end = Math.min(size, this.#count + STEP_COUNT);
    for (; this.#count < end; this.#count += 1) this.#starts[this.#count] = startOf(hash128(this.role, this.dictionary.valueOf(this.#count)));
    return this.#count >= size;
  }

  /** The code whose hash this is; 0 for none. */
  codeOf(start: number, identityId: string): number {
    for (let code = 1; code < this.#count; code += 1)
      if (this.#starts[code] === start && !this.dictionary.isRetired(code) && identityIdOf(this.role, this.dictionary.valueOf(code)) === identityId) return code;
    return 0;
  }
}

function startOf(hash: Uint8Array): number {
  return ((hash[0]! << 24) | (hash[1]! << 16) | (hash[2]! << 8) | hash[3]!) >>> 0;
}

const IDENTITY_ID = /^idn_([0-9a-f]{8})[0-9a-f]{24}$/;

/** Finds actors by the hash that names them: 4 bytes for every user id and anonymous id. */
export class IdentityIds {
  readonly #users: HashedIds;
  readonly #anonymous: HashedIds;

  constructor(dictionaries: Dictionaries) {
    this.#users = new HashedIds("user", dictionaries.named("userId"));
    this.#anonymous = new HashedIds("anonymous", dictionaries.named("anonymousId"));
  }

  /**
   * Takes in ids that are new, some at a time; answers whether that was all. Cost: 2 µs for each of them.
   * @param sizes ids below them keep their codes for ever
   */
  grow(sizes: ReadonlyMap<string, number>): boolean {
    return this.#users.grow(sizes.get("userId") ?? 1) && this.#anonymous.grow(sizes.get("anonymousId") ?? 1);
  }

  /** The actors of this identity id, of those that were taken in. Cost: a nanosecond for each id there is. */
  actorsOf(identityId: string): number[] {
    const start = IDENTITY_ID.exec(identityId)?.[1];
    if (start === undefined) return [];
    const [user, anonymous] = [this.#users, this.#anonymous].map((ids) => ids.codeOf(Number.parseInt(start, 16), identityId)) as [number, number];
    return [...(user === 0 ? [] : [user * 2]), ...(anonymous === 0 ? [] : [anonymous * 2 + 1])];
  }
}
