/* eslint-disable @typescript-eslint/no-non-null-assertion -- entities are below the end */

/** Before all units. */
export const NEVER = -1;

/** In which unit, by its number, each entity was last seen. */
export class LastUnits {
  /** By entity, one more than the number. */
  readonly #next: Uint32Array;

  /** @param end all entities are below it */
  constructor(end: number) {
    this.#next = new Uint32Array(end);
  }

  /** Adds some that were seen in a unit, which is not before those that were told of. */
  add(unit: number, entities: Uint32Array): void {
    const next = this.#next;
    for (let at = 0; at < entities.length; at += 1) next[entities[at]!] = unit + 1;
  }

  /** NEVER for an entity that was not seen. */
  of(entity: number): number {
    return this.#next[entity]! - 1;
  }
}
