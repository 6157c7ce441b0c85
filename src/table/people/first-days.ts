/* eslint-disable @typescript-eslint/no-non-null-assertion -- numbers are below the length */
/** Later than any day. */
export const NEVER = 2 ** 31 - 1;

/** Who is counted: an identity by its number above 0, a company by its code as a number below 0. */
export type Entity = number;

/** First days by number. */
class DaysByNumber {
  /** Day + 1; 0 for none, so that memory nobody asks for is never touched. */
  #nextDays = new Int32Array(1024);

  get byteLength(): number {
    return this.#nextDays.byteLength;
  }

  of(number: number): number {
    const nextDay = number < this.#nextDays.length ? this.#nextDays[number]! : 0;
    return nextDay === 0 ? NEVER : nextDay - 1;
  }

  set(number: number, day: number): void {
    if (number >= this.#nextDays.length) {
      const nextDays = new Int32Array(2 ** Math.ceil(Math.log2(number + 1)));
      nextDays.set(this.#nextDays);
      this.#nextDays = nextDays;
    }
    this.#nextDays[number] = day === NEVER ? 0 : day + 1;
  }
}

/** When entities were first seen: 4 bytes for each below the greatest. */
export class FirstDays {
  readonly #identities = new DaysByNumber();
  readonly #companies = new DaysByNumber();

  get byteLength(): number {
    return this.#identities.byteLength + this.#companies.byteLength;
  }

  /** NEVER for an entity that was not seen. */
  of(entity: Entity): number {
    return entity > 0 ? this.#identities.of(entity) : this.#companies.of(-entity);
  }

  set(entity: Entity, day: number): void {
    if (entity > 0) this.#identities.set(entity, day);
    else this.#companies.set(-entity, day);
  }

  /** Of several days the first counts. */
  add(entity: Entity, day: number): void {
    if (day < this.of(entity)) this.set(entity, day);
  }
}
