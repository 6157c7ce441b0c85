/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and actors are bounded by their columns */
import { denseCodes } from "../column/column.js";
import type { Codes } from "../column/codes.js";
import type { Selector } from "../filter/predicate.js";
import { isWhole, select } from "../filter/select.js";
import type { IdentityView } from "../identity/identity-view.js";
import type { Rows } from "../segment/rows.js";
import { selectedRows } from "./selected-rows.js";

/** Columns that tell who acted. */
export const ACTOR_COLUMNS = ["userId", "anonymousId"] as const;

/** A growing set of actors or identities, one bit each. */
export class ActorSet {
  #words = new Uint32Array(1024);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** True when the actor was not in the set before. */
  add(actor: number): boolean {
    const word = actor >>> 5;
    if (word >= this.#words.length) this.#grow(word);
    const bit = 1 << (actor & 31);
    if ((this.#words[word]! & bit) !== 0) return false;
    this.#words[word]! |= bit;
    this.#count += 1;
    return true;
  }

  /** Takes out the actors listed, which are all there are. Cost: their number. */
  clear(actors: Uint32Array): void {
    for (let at = 0; at < actors.length; at += 1) this.#words[actors[at]! >>> 5] = 0;
    this.#count = 0;
  }

  #grow(word: number): void {
    const words = new Uint32Array(2 ** Math.ceil(Math.log2(word + 1)));
    words.set(this.#words);
    this.#words = words;
  }
}

// One scratch set for all scans: emptied before a scan returns.
const seen = new ActorSet();

/** Distinct actors of the selected rows. Events with neither id have none. Kept for whole sealed segments. */
export function distinctActors(rows: Rows, selector: Selector): Uint32Array {
  if (rows.sealed && selector.all.length === 0 && selector.any.length === 0 && isWhole(rows, selector))
    return rows.derive("actors", () => collect(rows, selector), (made) => made.byteLength);
  return collect(rows, selector);
}

function collect(rows: Rows, selector: Selector): Uint32Array {
  const users = denseCodes(rows.column("userId"));
  const anonymous = rows.column("anonymousId");
  const anonymousCodes = anonymous.codes.length === 0 ? null : denseCodes(anonymous);
  const list = new Uint32Array(rows.rowCount);
  const count = gather(selectedRows(select(rows, selector)), users, anonymousCodes, list);
  const actors = list.slice(0, count);
  seen.clear(actors);
  return actors;
}

function gather(selected: Uint32Array, users: Codes, anonymous: Codes | null, into: Uint32Array): number {
  let count = 0;
  for (let at = 0; at < selected.length; at += 1) {
    const row = selected[at]!;
    const user = users[row]!;
    const anonymousId = user !== 0 || anonymous === null ? 0 : anonymous[row]!;
    const actor = user !== 0 ? user * 2 : anonymousId !== 0 ? anonymousId * 2 + 1 : 0;
    if (actor === 0 || !seen.add(actor)) continue;
    into[count] = actor;
    count += 1;
  }
  return count;
}

/** Number of identities that actors stand for; the actors of each list are distinct. */
export function countIdentities(lists: readonly Uint32Array[], view: IdentityView): number {
  const linked = view.linkCount > 0;
  const [only, ...others] = lists;
  if (!linked && others.length === 0) return only?.length ?? 0;
  const identities = new ActorSet();
  for (const list of lists)
    for (let at = 0; at < list.length; at += 1) identities.add(linked ? view.identityOf(list[at]!) : list[at]!);
  return identities.count;
}
