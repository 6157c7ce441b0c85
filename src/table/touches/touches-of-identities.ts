/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the lists */
import type { IdentityView } from "../../identity/identity-view.js";
import { touchesAtOnce } from "./touch-runs.js";
import type { Touches } from "./touches.js";

/** Ids of an identity from which on their touches are put together: whoever has a hundred thousand is looked up for each of as many events. */
const MANY_IDS = 16;

/** The touches of the identities of one moment, as lists in order. Those of identities of many ids are put together once, at a sort of them. */
export class TouchesOfIdentities {
  readonly #together = new Map<number, readonly ArrayLike<number>[]>();
  /** Touches behind came later than the moment. */
  readonly #end: number;

  constructor(
    readonly touches: Touches,
    readonly identities: IdentityView,
  ) {
    this.#end = touches.count;
  }

  of(identity: number): readonly ArrayLike<number>[] {
    const known = this.#together.get(identity);
    if (known !== undefined) return known;
    const actors = this.identities.actorsOf(identity);
    const lists = actors.map((actor) => this.#before(this.touches.placesOf(actor)));
    if (actors.length < MANY_IDS) return lists;
    const together = putTogether(this.touches, lists);
    this.#together.set(identity, together);
    return together;
  }

  #before(places: ArrayLike<number>): ArrayLike<number> {
    return this.touches.count === this.#end ? places : Array.from(places).filter((place) => place < this.#end);
  }
}

/** The touches of some owners in as few lists as keep those of one millisecond apart by owner: within a list these are in order. */
function putTogether(touches: Touches, lists: readonly ArrayLike<number>[]): number[][] {
  const runs: number[][] = [];
  for (const list of lists)
    for (let at = 0; at < list.length; at += runs.at(-1)!.length) runs.push(touchesAtOnce(touches, list, at));
  const msOf = ([place]: readonly number[]) => touches.msOf(place!);
  runs.sort((a, b) => msOf(a) - msOf(b));
  const together: number[][] = [];
  let number = 0;
  for (const [at, run] of runs.entries()) {
    number = at > 0 && msOf(runs[at - 1]!) === msOf(run) ? number + 1 : 0;
    const list = (together[number] ??= []);
    // One by one: all of a day may be of one millisecond, and no call takes as many arguments.
    for (const place of run) list.push(place);
  }
  return together;
}
