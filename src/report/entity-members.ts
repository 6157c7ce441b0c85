import type { FirstDays } from "./first-days.js";

/** Later than any day. */
export const NEVER = 2 ** 31 - 1;

/** Who is counted: an identity by its number above 0, a company by its code as a number below 0. */
export type Entity = number;

/** A byte for every entity below the greatest. */
export class EntitySet {
  #identities = new Uint8Array(1024);
  #companies = new Uint8Array(1024);

  has(entity: Entity): boolean {
    return (entity > 0 ? this.#identities[entity] : this.#companies[-entity]) === 1;
  }

  /** True when it was not in the set. */
  add(entity: Entity): boolean {
    const number = Math.abs(entity);
    let flags = entity > 0 ? this.#identities : this.#companies;
    if (number >= flags.length) {
      const grown = new Uint8Array(2 ** Math.ceil(Math.log2(number + 1)));
      grown.set(flags);
      if (entity > 0) this.#identities = grown;
      else this.#companies = grown;
      flags = grown;
    }
    if (flags[number] === 1) return false;
    flags[number] = 1;
    return true;
  }
}

/** Entities, each with the projects it was seen in and its first day. */
interface EntitiesSeen {
  each(visit: (entity: Entity, project: number) => void): void;
  readonly days: FirstDays;
}

/** The entities with an event in a project. */
export class ProjectMembers {
  readonly set = new EntitySet();
  /** Their number by the day on which each was first seen, in any project. */
  readonly countByDay = new Map<number, number>();

  constructor(
    readonly project: number,
    entities: EntitiesSeen,
  ) {
    let lastDay = NEVER;
    let count = 0;
    entities.each((entity, seenIn) => {
      if (seenIn !== project || !this.set.add(entity)) return;
      // Who is met next was mostly first seen on the same day.
      const day = entities.days.of(entity);
      if (day !== lastDay) {
        addTo(this.countByDay, lastDay, count);
        lastDay = day;
        count = 0;
      }
      count += 1;
    });
    addTo(this.countByDay, lastDay, count);
  }
}

export function addTo(counts: Map<number, number>, day: number, count: number): void {
  if (count !== 0) counts.set(day, (counts.get(day) ?? 0) + count);
}
