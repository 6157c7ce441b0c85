import type { Entity } from "./first-days.js";

/** A byte for every entity below the greatest. */
class EntitySet {
  #identities = new Uint8Array(1024);
  #companies = new Uint8Array(1024);

  get byteLength(): number {
    return this.#identities.length + this.#companies.length;
  }

  has(entity: Entity): boolean {
    return (entity > 0 ? this.#identities[entity] : this.#companies[-entity]) === 1;
  }

  set(entity: Entity, flag: 0 | 1): void {
    const number = Math.abs(entity);
    let flags = entity > 0 ? this.#identities : this.#companies;
    if (number >= flags.length) {
      const grown = new Uint8Array(2 ** Math.ceil(Math.log2(number + 1)));
      grown.set(flags);
      if (entity > 0) this.#identities = grown;
      else this.#companies = grown;
      flags = grown;
    }
    flags[number] = flag;
  }
}

/** The entities with an event in a project, and their number by the day on which each was first seen anywhere. */
export class EntityCount {
  readonly #members = new EntitySet();
  readonly byDay = new Map<number, number>();

  constructor(readonly project: number) {}

  get byteLength(): number {
    return this.#members.byteLength;
  }

  /** Counts an entity, unless it is counted already. */
  add(entity: Entity, day: number): void {
    if (this.#members.has(entity)) return;
    this.#members.set(entity, 1);
    this.#addTo(day, 1);
  }

  /** Whether it was counted. @param day on which it was counted */
  remove(entity: Entity, day: number): boolean {
    if (!this.#members.has(entity)) return false;
    this.#members.set(entity, 0);
    this.#addTo(day, -1);
    return true;
  }

  #addTo(day: number, count: number): void {
    this.byDay.set(day, (this.byDay.get(day) ?? 0) + count);
  }
}
