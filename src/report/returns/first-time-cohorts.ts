/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are below the number of words, cohorts below their number */
import type { CohortCounts, PeriodAxis } from "../../answer/insights/retention-periods.js";
import { popcount } from "../../column/bitmap.js";
import type { BitsOfUnits, EntityBits } from "./bits-of-units.js";
import type { LastUnits } from "./last-units.js";

interface Cohort {
  readonly unitMs: number;
  readonly size: number;
  readonly members: EntityBits;
}

/** Looks at words of cohorts that cost about as much as finding the cohorts of 32 entities one by one. */
const WORDS_PER_WORD = 64;

/** Who is a member of the one cohort in which they were first seen. */
export class FirstTimeCohorts {
  readonly #seen: Uint32Array;
  /** In order. */
  readonly #cohorts: Cohort[] = [];

  constructor(readonly units: BitsOfUnits) {
    this.#seen = new Uint32Array(units.wordCount);
  }

  /** Adds some who were seen before all cohorts. */
  addEarlier({ places, words }: EntityBits): void {
    for (let at = 0; at < places.length; at += 1) this.#seen[places[at]!]! |= words[at]!;
  }

  /** Adds those who were seen in a unit behind the last one: those are members of its cohort who were not seen before. */
  add(unitMs: number, { places, words }: EntityBits): void {
    const seen = this.#seen;
    const members = { places: new Uint32Array(places.length), words: new Uint32Array(places.length) };
    let [count, size] = [0, 0];
    for (let at = 0; at < places.length; at += 1) {
      const place = places[at]!;
      const newcomers = words[at]! & ~seen[place]!;
      if (newcomers === 0) continue;
      seen[place]! |= newcomers;
      members.places[count] = place;
      members.words[count] = newcomers;
      size += popcount(newcomers);
      count += 1;
    }
    if (size > 0) this.#cohorts.push({ unitMs, size, members: { places: members.places.slice(0, count), words: members.words.slice(0, count) } });
  }

  /** Where the units begin that have members. */
  get unitStarts(): number[] {
    return this.#cohorts.map(({ unitMs }) => unitMs);
  }

  /** Cohorts on an axis that has all units with members. */
  on(axis: PeriodAxis): FirstTimeReturns {
    return new FirstTimeReturns(axis, this.#cohorts, this.units);
  }
}

/** Counts who of the members came back. */
class FirstTimeReturns {
  readonly counts: CohortCounts;
  /** Of cohorts. */
  readonly #units: readonly number[];
  /** The words of a unit by their places; 0 between units. */
  readonly #words: Uint32Array;
  #cohortOf: Uint32Array | null = null;

  constructor(
    readonly axis: PeriodAxis,
    readonly cohorts: readonly Cohort[],
    readonly bits: BitsOfUnits,
  ) {
    this.counts = axis.newCounts();
    this.#words = new Uint32Array(bits.wordCount);
    this.#units = cohorts.map(({ unitMs }) => axis.unitOf(unitMs));
    cohorts.forEach(({ size }, cohort) => (this.counts.sizes[this.#units[cohort]!] = size));
  }

  /** Counts those who came back in a unit. Cost: the words of the cohorts whose period it is, or where these are many, its entities. */
  add(unit: number, returned: EntityBits): void {
    const { axis, cohorts } = this;
    const asked = cohorts.flatMap(({ members }, cohort) => {
      const period = unit - this.#units[cohort]!;
      return period > 0 && period <= axis.periodCount ? [{ members, place: axis.placeOf(this.#units[cohort]!, period) }] : [];
    });
    if (asked.reduce((sum, { members }) => sum + members.places.length, 0) > returned.places.length * WORDS_PER_WORD) return this.#addEach(unit, returned);
    const words = this.#words;
    for (let at = 0; at < returned.places.length; at += 1) words[returned.places[at]!] = returned.words[at]!;
    for (const { members, place } of asked) this.counts.returned[place]! += commonCount(members, words);
    for (let at = 0; at < returned.places.length; at += 1) words[returned.places[at]!] = 0;
  }

  /** Counts of some entities the last period in which they came back. */
  addLast(last: LastUnits, from: number, to: number): void {
    const cohortOf = this.#cohortsByEntity();
    for (let entity = from; entity < to; entity += 1) {
      if (cohortOf[entity] === 0) continue;
      const unit = this.#units[cohortOf[entity]! - 1]!;
      const period = Math.min(last.of(entity) - unit, this.axis.periodCount);
      if (period > 0) this.counts.returned[this.axis.placeOf(unit, period)]! += 1;
    }
  }

  #addEach(unit: number, returned: EntityBits): void {
    const { axis, counts } = this;
    const cohortOf = this.#cohortsByEntity();
    this.bits.eachOf(returned, (entity) => {
      if (cohortOf[entity] === 0) return;
      const period = unit - this.#units[cohortOf[entity]! - 1]!;
      if (period > 0 && period <= axis.periodCount) counts.returned[axis.placeOf(unit - period, period)]! += 1;
    });
  }

  /** One more than the number of its cohort; 0 for who is in none. */
  #cohortsByEntity(): Uint32Array {
    if (this.#cohortOf !== null) return this.#cohortOf;
    const cohortOf = new Uint32Array(this.bits.wordCount * 32);
    this.cohorts.forEach(({ members }, cohort) => this.bits.eachOf(members, (entity) => (cohortOf[entity] = cohort + 1)));
    return (this.#cohortOf = cohortOf);
  }
}

function commonCount({ places, words }: EntityBits, others: Uint32Array): number {
  let count = 0;
  for (let at = 0; at < places.length; at += 1) {
    const common = words[at]! & others[places[at]!]!;
    if (common !== 0) count += popcount(common);
  }
  return count;
}
