/* eslint-disable @typescript-eslint/no-non-null-assertion -- places and entities are bounded by their lists */
import { inPieces } from "../../base/in-pieces.js";

/** The members that each entity is, in the order of members. 8 bytes an entity, 4 a member. */
export class MemberLists {
  /**
   * @param firsts by entity: where its members begin that were not dropped
   * @param ends where they end
   */
  private constructor(
    private readonly firsts: Uint32Array,
    private readonly ends: Uint32Array,
    private readonly members: Uint32Array,
  ) {}

  /** @param end all entities are below it */
  static async of(entities: Uint32Array, end: number, pause: () => Promise<void>): Promise<MemberLists> {
    const ends = new Uint32Array(end);
    await inPieces(entities.length, pause, (from, to) => {
      for (let member = from; member < to; member += 1) ends[entities[member]!]! += 1;
    });
    let sum = 0;
    await inPieces(end, pause, (from, to) => {
      for (let entity = from; entity < to; entity += 1) {
        const count = ends[entity]!;
        ends[entity] = sum;
        sum += count;
      }
    });
    const firsts = ends.slice();
    const members = new Uint32Array(entities.length);
    await inPieces(entities.length, pause, (from, to) => {
      for (let member = from; member < to; member += 1) {
        members[ends[entities[member]!]!] = member;
        ends[entities[member]!]! += 1;
      }
    });
    return new MemberLists(firsts, ends, members);
  }

  firstOf(entity: number): number {
    return this.firsts[entity]!;
  }

  endOf(entity: number): number {
    return this.ends[entity]!;
  }

  memberAt(place: number): number {
    return this.members[place]!;
  }

  /** Leaves out the first of an entity's members. */
  drop(entity: number): void {
    this.firsts[entity]! += 1;
  }
}
