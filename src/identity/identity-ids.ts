import { grown } from "../core/base/arrays.js";
import { hash128, toHex } from "../core/base/hash.js";
import type { Dictionaries } from "../storage/column/dictionaries.js";
import type { Dictionary } from "../storage/column/dictionary.js";
import type { IdentityView } from "./identity-view.js";

/** An identity's public id: `idn_` and the 128-bit hash of its surviving user id, or of its anonymous id when it has no user. */
export function identityIdOf(role: "user" | "anonymous", id: string): string {
  return `idn_${toHex(hash128(role, id))}`;
}

/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the list */
type IdRole = "user" | "anonymous";

/** Ids hashed per call, about 2 ms. */
const STEP_COUNT = 1_000;

/** The first 32 bits of each id's hash, by code; the whole hash decides between equal ones. */
class HashedIds {
  #starts = new Uint32Array(1024);
  #count = 0;

  constructor(
    readonly role: IdRole,
    readonly dictionary: Dictionary,
  ) {}

  /** Returns whether all ids below `size` are hashed. */
  grow(size: number): boolean {
    if (size > this.#starts.length) this.#starts = grown(this.#starts, 2 ** Math.ceil(Math.log2(size)));
    const end = Math.min(size, this.#count + STEP_COUNT);
    for (; this.#count < end; this.#count += 1) this.#starts[this.#count] = startOf(hash128(this.role, this.dictionary.valueOf(this.#count)));
    return this.#count >= size;
  }

  /** The code of the id with this hash; 0 for none. */
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

/** Finds actors by identity id. Takes 4 bytes for every user id and anonymous id. */
export class IdentityIds {
  readonly #users: HashedIds;
  readonly #anonymous: HashedIds;

  constructor(dictionaries: Dictionaries) {
    this.#users = new HashedIds("user", dictionaries.named("userId"));
    this.#anonymous = new HashedIds("anonymous", dictionaries.named("anonymousId"));
  }

  /** Hashes new ids, some per call; returns whether all are hashed. Cost: 2 µs each. @param sizes codes below them are permanent */
  grow(sizes: ReadonlyMap<string, number>): boolean {
    return this.#users.grow(sizes.get("userId") ?? 1) && this.#anonymous.grow(sizes.get("anonymousId") ?? 1);
  }

  /** The actors with this identity id, among the hashed ids. Cost: a nanosecond for each of them. */
  actorsOf(identityId: string): number[] {
    const start = IDENTITY_ID.exec(identityId)?.[1];
    if (start === undefined) return [];
    const [user, anonymous] = [this.#users, this.#anonymous].map((ids) => ids.codeOf(Number.parseInt(start, 16), identityId)) as [number, number];
    return [...(user === 0 ? [] : [user * 2]), ...(anonymous === 0 ? [] : [anonymous * 2 + 1])];
  }
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

/** Bound of the cache of identity ids, which is emptied when full. */
const KEPT_COUNT = 100_000;

/** Identity ids by the codes of a row's user id and anonymous id. Cost: a hash for each new identity. */
export class IdentityNames {
  readonly #known = new Map<number, string>();

  constructor(readonly view: IdentityView) {}

  /** Null for a row without ids. */
  readonly of = (userId: number, anonymousId: number): string | null => {
    const actor = userId !== 0 ? userId * 2 : anonymousId !== 0 ? anonymousId * 2 + 1 : 0;
    if (actor === 0) return null;
    const identity = this.view.identityOf(actor);
    const known = this.#known.get(identity);
    if (known !== undefined) return known;
    const name = this.view.identityId(identity);
    if (this.#known.size >= KEPT_COUNT) this.#known.clear();
    this.#known.set(identity, name);
    return name;
  };
}
