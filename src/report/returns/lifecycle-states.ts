/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are below the number of words */
import { popcount } from "../../column/bitmap.js";
import type { LifecycleBucket } from "../../plan/insights/answers.js";
import type { EntityBits } from "./bits-of-units.js";

/** Who is new, comes back or stays away, from one unit of time to the next. */
export class LifecycleStates {
  /** Who was active up to the unit before, and in that unit. */
  readonly #seen: Uint32Array;
  readonly #before: Uint32Array;
  #placesBefore = new Uint32Array(0);
  #activeBefore = 0;

  /** @param wordCount all places of bits are below it */
  constructor(wordCount: number) {
    this.#seen = new Uint32Array(wordCount);
    this.#before = new Uint32Array(wordCount);
  }

  /** Adds some who were active before the first unit. */
  addEarlier({ places, words }: EntityBits): void {
    for (let at = 0; at < places.length; at += 1) this.#seen[places[at]!]! |= words[at]!;
  }

  /** The figures of the unit behind the one before, by who was active in it. Cost: their words. */
  next({ places, words }: EntityBits): Pick<LifecycleBucket, "new" | "returning" | "resurrecting" | "dormant"> {
    const [seen, before] = [this.#seen, this.#before];
    let [active, newcomers, returning] = [0, 0, 0];
    for (let at = 0; at < places.length; at += 1) {
      const place = places[at]!;
      const own = words[at]!;
      active += popcount(own);
      newcomers += popcount(own & ~seen[place]!);
      returning += popcount(own & before[place]!);
      seen[place]! |= own;
    }
    const figures = { new: newcomers, returning, resurrecting: active - newcomers - returning, dormant: this.#activeBefore - returning };
    for (let at = 0; at < this.#placesBefore.length; at += 1) before[this.#placesBefore[at]!] = 0;
    this.#placesBefore = places.slice();
    for (let at = 0; at < places.length; at += 1) before[places[at]!] = words[at]!;
    this.#activeBefore = active;
    return figures;
  }
}
