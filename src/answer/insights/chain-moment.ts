/* eslint-disable @typescript-eslint/no-non-null-assertion -- steps and places are bounded by their lists */
import { bitsBetween, exclusionsOf, lowestOf, stepsOf, type ChainRules, type Mask } from "./chain.js";

/** The events of one entity in one millisecond: they have no order, and each is one step. */
export class ChainMoment {
  readonly #rules: ChainRules;
  /** Events that a chain may want, in order: of equal ones no more than they have steps. */
  #places = new Uint32Array(64);
  #steps = new Uint32Array(64);
  #count = 0;
  /** Some match several steps: two of these may ask for one event. */
  #isContested = false;
  #allSteps = 0;
  #exclusions = 0;
  /** 1: the chain has it already. */
  #isTaken = new Uint8Array(64);
  /** Which step an event is given to, and for which try of a step it was asked last. */
  #stepOf = new Int8Array(64);
  #asked = new Uint32Array(64);
  #askedNow = 0;

  constructor(rules: ChainRules) {
    this.#rules = rules;
  }

  /** Which event a step takes may leave others to later steps. */
  get orderDecides(): boolean {
    return this.#isContested && this.#count > 1;
  }

  /** Takes the events at places `[from, to)`. */
  read(masks: ArrayLike<Mask>, from: number, to: number): void {
    this.#count = 0;
    this.#allSteps = 0;
    this.#exclusions = 0;
    this.#isContested = false;
    for (let place = from; place < to; place += 1) {
      this.#exclusions |= exclusionsOf(masks[place]!);
      const steps = stepsOf(masks[place]!);
      if (steps === 0 || !this.#isWanted(steps)) continue;
      this.#allSteps |= steps;
      this.#isContested ||= (steps & (steps - 1)) !== 0;
      this.#push(place, steps);
    }
  }

  /** The last step up to which those behind the first `done` ones can be made of events that are not taken. */
  reachOf(done: number): number {
    if (!this.#isContested) return done + lowestOf(~(this.#allSteps >>> done));
    this.#stepOf.fill(-1, 0, this.#count);
    let step = done;
    while (step < this.#rules.stepCount && this.#give(step)) step += 1;
    return step;
  }

  /** How many steps a chain that came with `done` ones must have at least to live on, where it ends with `depth`. */
  leastOf(done: number, depth: number): number {
    let least = 0;
    for (let rest = this.#exclusions; rest !== 0; rest &= rest - 1) {
      const { afterStep, beforeStep } = this.#rules.exclusions[lowestOf(rest)]!;
      if (afterStep <= done) least = Math.max(least, Math.min(beforeStep, depth));
    }
    return least;
  }

  /**
   * Takes the first event in order for the step behind the first `done` ones with which, and with others, the chain can leave the
   * millisecond with one of some counts of steps; -1 for none. @param allowed one bit a count
   */
  take(done: number, allowed: number): number {
    for (let event = 0; event < this.#count; event += 1) {
      if (this.#isTaken[event] === 1 || ((this.#steps[event]! >>> done) & 1) === 0) continue;
      this.#isTaken[event] = 1;
      if ((allowed & bitsBetween(done + 1, this.reachOf(done + 1))) !== 0) return this.#places[event]!;
      this.#isTaken[event] = 0;
    }
    return -1;
  }

  #isWanted(steps: number): boolean {
    let room = steps;
    for (let event = 0; event < this.#count; event += 1) if (this.#steps[event] === steps) room &= room - 1;
    return room !== 0;
  }

  #push(place: number, steps: number): void {
    const event = this.#count;
    if (event === this.#places.length) this.#grow();
    this.#places[event] = place;
    this.#steps[event] = steps;
    this.#isTaken[event] = 0;
    this.#count += 1;
  }

  /** Gives an event to a step; others that have one may have to take another (an augmenting path). */
  #give(step: number): boolean {
    this.#askedNow += 1;
    return this.#path(step);
  }

  #path(step: number): boolean {
    for (let event = 0; event < this.#count; event += 1) {
      if (this.#isTaken[event] === 1 || ((this.#steps[event]! >>> step) & 1) === 0 || this.#asked[event] === this.#askedNow) continue;
      this.#asked[event] = this.#askedNow;
      const holder = this.#stepOf[event]!;
      if (holder >= 0 && !this.#path(holder)) continue;
      this.#stepOf[event] = step;
      return true;
    }
    return false;
  }

  #grow(): void {
    const longer = <A extends Uint32Array | Uint8Array | Int8Array>(into: A, from: A): A => {
      into.set(from);
      return into;
    };
    const size = this.#places.length * 2;
    this.#places = longer(new Uint32Array(size), this.#places);
    this.#steps = longer(new Uint32Array(size), this.#steps);
    this.#isTaken = longer(new Uint8Array(size), this.#isTaken);
    this.#stepOf = longer(new Int8Array(size), this.#stepOf);
    this.#asked = longer(new Uint32Array(size), this.#asked);
  }
}
