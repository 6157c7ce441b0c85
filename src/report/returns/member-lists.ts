/* eslint-disable @typescript-eslint/no-non-null-assertion -- places and entities are bounded by their lists */

/** The members that each entity is, in the order of members. 8 bytes an entity, 4 a member. */
export class MemberLists {
  /** By entity: where its members begin that were not dropped, and where they end. */
  readonly #firsts: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #members: Uint32Array;

  /** @param end all entities are below it */
  constructor(entities: Uint32Array, end: number) {
    const ends = new Uint32Array(end);
    for (let member = 0; member < entities.length; member += 1) ends[entities[member]!]! += 1;
    let sum = 0;
    for (let entity = 0; entity < end; entity += 1) {
      const count = ends[entity]!;
      ends[entity] = sum;
      sum += count;
    }
    this.#firsts = ends.slice();
    this.#members = new Uint32Array(entities.length);
    for (let member = 0; member < entities.length; member += 1) {
      this.#members[ends[entities[member]!]!] = member;
      ends[entities[member]!]! += 1;
    }
    this.#ends = ends;
  }

  firstOf(entity: number): number {
    return this.#firsts[entity]!;
  }

  endOf(entity: number): number {
    return this.#ends[entity]!;
  }

  memberAt(place: number): number {
    return this.#members[place]!;
  }

  /** Leaves out the first of an entity's members. */
  drop(entity: number): void {
    this.#firsts[entity]! += 1;
  }
}
