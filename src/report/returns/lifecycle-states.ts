/* eslint-disable @typescript-eslint/no-non-null-assertion -- entities are below the end */
import type { LifecycleBucket } from "../../plan/insights/answers.js";

/** What an entity's last unit is: never any, one before all that are told of, else one of these. Between them lies one that is nobody's. */
const NEVER = 0;
const EARLIER = 1;
const NOBODYS = 2;

/** Who is new, comes back or stays away, from one unit of time to the next. */
export class LifecycleStates {
  /** By entity. */
  readonly #lastUnits: Uint32Array;
  #unit = NOBODYS;
  #activeBefore = 0;
  #new = 0;
  #returning = 0;
  #resurrecting = 0;

  /** @param end all entities are below it */
  constructor(end: number) {
    this.#lastUnits = new Uint32Array(end);
  }

  /** Adds some who were active before the first unit. */
  addEarlier(entities: Uint32Array): void {
    for (let at = 0; at < entities.length; at += 1) this.#lastUnits[entities[at]!] = EARLIER;
  }

  /** Begins the unit behind the one before. */
  begin(): void {
    this.#activeBefore = this.#new + this.#returning + this.#resurrecting;
    this.#new = this.#returning = this.#resurrecting = 0;
    this.#unit += 1;
  }

  /** Adds some who were active in the unit, each once. */
  add(entities: Uint32Array): void {
    const [lastUnits, unit] = [this.#lastUnits, this.#unit];
    let [newcomers, returning] = [0, 0];
    for (let at = 0; at < entities.length; at += 1) {
      const entity = entities[at]!;
      const last = lastUnits[entity]!;
      if (last === NEVER) newcomers += 1;
      else if (last === unit - 1) returning += 1;
      lastUnits[entity] = unit;
    }
    this.#new += newcomers;
    this.#returning += returning;
    this.#resurrecting += entities.length - newcomers - returning;
  }

  /** The figures of the unit, all of whose entities were added. */
  get figures(): Pick<LifecycleBucket, "new" | "returning" | "resurrecting" | "dormant"> {
    return { new: this.#new, returning: this.#returning, resurrecting: this.#resurrecting, dormant: this.#activeBefore - this.#returning };
  }
}
