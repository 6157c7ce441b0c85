import { tooManyValues } from "../../answer/too-many-values.js";
import { assert } from "../../base/assert.js";
import { LIMITS } from "../../base/limits.js";

/** Numbers times from 0. */
export class EventTimes {
  /** By the start of the day: ms of a day are small numbers, which a map holds as they are. */
  readonly #days = new Map<number, Map<number, number>>();
  #times = new Float64Array(1024);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Numbers ms of one day. What it answers throws too_many_values. */
  ofDay(startMs: number): (ms: number) => number {
    let numbers = this.#days.get(startMs);
    if (numbers === undefined) this.#days.set(startMs, (numbers = new Map()));
    const known = numbers;
    return (ms) => {
      let number = known.get(ms);
      if (number === undefined) known.set(ms, (number = this.#push(startMs + ms)));
      return number;
    };
  }

  of(number: number): number {
    const ms = this.#times[number];
    assert(ms !== undefined && number < this.#count, "a number stands for a time");
    return ms;
  }

  /** All numbers by their times, which come in the order of their texts: of years from 0 to 9999. */
  inOrder(): Uint32Array {
    const times = this.#times;
    return Uint32Array.from({ length: this.#count }, (_, number) => number).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0));
  }

  #push(ms: number): number {
    if (this.#count === LIMITS.ownValueCount) throw tooManyValues("createdAt");
    if (this.#count === this.#times.length) {
      const longer = new Float64Array(this.#times.length * 2);
      longer.set(this.#times);
      this.#times = longer;
    }
    this.#times[this.#count] = ms;
    this.#count += 1;
    return this.#count - 1;
  }
}
