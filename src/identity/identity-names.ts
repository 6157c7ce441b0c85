import type { IdentityView } from "./identity-view.js";

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
