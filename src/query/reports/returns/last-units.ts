/* eslint-disable @typescript-eslint/no-non-null-assertion -- entities are below the end */

/** Before all units. */
export const NEVER = -1;

/** The number of the unit in which each entity was last seen. */
export class LastUnits {
  /** By entity: the number + 1. */
  readonly #next: Uint32Array;

  /** @param end exclusive upper bound of entities */
  constructor(end: number) {
    this.#next = new Uint32Array(end);
  }

  /** Adds entities that were seen in a unit. Units must not descend. */
  add(unit: number, entities: Uint32Array): void {
    const next = this.#next;
    for (let at = 0; at < entities.length; at += 1) next[entities[at]!] = unit + 1;
  }

  /** NEVER for an entity that was not seen. */
  of(entity: number): number {
    return this.#next[entity]! - 1;
  }
}
