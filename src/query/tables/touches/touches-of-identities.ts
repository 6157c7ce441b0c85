/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the lists */
import type { IdentityView } from "../../../identity/identity-view.js";
import { touchesAtOnce } from "./touch-runs.js";
import type { Touches } from "./touches.js";

/** Identities with this many ids have their touches joined: looking up a hundred thousand ids for each event would be too slow. */
const MANY_IDS = 16;

/** The touches of a snapshot's identities, as lists in order. Those of identities with many ids are joined once, at the cost of a sort. */
export class TouchesOfIdentities {
  readonly #together = new Map<number, readonly ArrayLike<number>[]>();
  /** Touches from here on are newer than the snapshot. */
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

/** Joins the touches of owners into few lists, each in order: touches of one millisecond are in one list only if they have one owner. */
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
    // Not `push(...run)`: all touches of a day may share one millisecond, and no call accepts that many arguments.
    for (const place of run) list.push(place);
  }
  return together;
}
