/* eslint-disable @typescript-eslint/no-non-null-assertion -- numbers are below the length */
import { NEVER, type Entity } from "./entity-members.js";

/** First days by number. */
class DaysByNumber {
  /** Day + 1; 0 for none, so that memory nobody asks for is never touched. */
  #nextDays: Int32Array;

  constructor(nextDays = new Int32Array(1024)) {
    this.#nextDays = nextDays;
  }

  copy(): DaysByNumber {
    return new DaysByNumber(this.#nextDays.slice());
  }

  of(number: number): number {
    const nextDay = number < this.#nextDays.length ? this.#nextDays[number]! : 0;
    return nextDay === 0 ? NEVER : nextDay - 1;
  }

  add(number: number, day: number): void {
    if (number >= this.#nextDays.length) {
      const nextDays = new Int32Array(2 ** Math.ceil(Math.log2(number + 1)));
      nextDays.set(this.#nextDays);
      this.#nextDays = nextDays;
    }
    const known = this.#nextDays[number]!;
    if (known === 0 || day + 1 < known) this.#nextDays[number] = day + 1;
  }
}

/** When entities were first seen: 4 bytes for each below the greatest. */
export class FirstDays {
  readonly #identities: DaysByNumber;
  readonly #companies: DaysByNumber;

  constructor(identities = new DaysByNumber(), companies = new DaysByNumber()) {
    this.#identities = identities;
    this.#companies = companies;
  }

  copy(): FirstDays {
    return new FirstDays(this.#identities.copy(), this.#companies.copy());
  }

  /** NEVER for an entity that was not seen. */
  of(entity: Entity): number {
    return entity > 0 ? this.#identities.of(entity) : this.#companies.of(-entity);
  }

  add(entity: Entity, day: number): void {
    if (entity > 0) this.#identities.add(entity, day);
    else this.#companies.add(-entity, day);
  }
}
