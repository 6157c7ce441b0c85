/* eslint-disable @typescript-eslint/no-non-null-assertion -- entities are below the end, cohorts below their number */
import type { CohortCounts, PeriodAxis } from "../../answer/insights/retention-periods.js";
import type { LastUnits } from "./last-units.js";

/** What an entity is a member of: of nothing yet, of what was before all cohorts, else of one of those, from this number on. */
const NOTHING = 0;
const EARLIER = 1;
const FIRST = 2;

/** Who is a member of the one cohort in which they were first seen. */
export class FirstTimeCohorts {
  /** By entity. */
  readonly #cohorts: Uint32Array;
  /** Where the units of cohorts begin, in order, and how many members each has. */
  readonly #starts: number[] = [];
  readonly #sizes: number[] = [];

  /** @param end all entities are below it */
  constructor(end: number) {
    this.#cohorts = new Uint32Array(end);
  }

  /** Adds some who were seen before all cohorts. */
  addEarlier(entities: Uint32Array): void {
    for (let at = 0; at < entities.length; at += 1) this.#cohorts[entities[at]!] = EARLIER;
  }

  /** Adds some who were seen in a unit, which is none before the last one: those are members of its cohort who were not seen before. */
  add(unitMs: number, entities: Uint32Array): void {
    if (this.#starts.at(-1) !== unitMs) {
      this.#starts.push(unitMs);
      this.#sizes.push(0);
    }
    const cohorts = this.#cohorts;
    const own = FIRST + this.#starts.length - 1;
    let count = 0;
    for (let at = 0; at < entities.length; at += 1) {
      if (cohorts[entities[at]!] !== NOTHING) continue;
      cohorts[entities[at]!] = own;
      count += 1;
    }
    this.#sizes[this.#sizes.length - 1]! += count;
  }

  /** Where the units begin that have members. */
  get unitStarts(): number[] {
    return this.#starts.filter((_, cohort) => this.#sizes[cohort]! > 0);
  }

  /** Cohorts on an axis that has all units with members. */
  on(axis: PeriodAxis): FirstTimeReturns {
    const counts = axis.newCounts();
    const units = Int32Array.from(this.#starts, (startMs) => axis.unitOf(startMs));
    this.#sizes.forEach((size, cohort) => {
      if (size > 0) counts.sizes[units[cohort]!] = size;
    });
    return new FirstTimeReturns(axis, counts, this.#cohorts, units);
  }
}

/** Counts who of the members came back. */
class FirstTimeReturns {
  constructor(
    readonly axis: PeriodAxis,
    readonly counts: CohortCounts,
    /** By entity. */
    readonly cohorts: Uint32Array,
    /** Of cohorts. */
    readonly units: Int32Array,
  ) {}

  /** Counts some who came back in a unit, each once. */
  add(unit: number, entities: Uint32Array): void {
    const { cohorts, units } = this;
    const { returned } = this.counts;
    const { periodCount } = this.axis;
    const width = periodCount + 1;
    for (let at = 0; at < entities.length; at += 1) {
      const cohort = cohorts[entities[at]!]!;
      if (cohort < FIRST) continue;
      const period = unit - units[cohort - FIRST]!;
      if (period > 0 && period <= periodCount) returned[(unit - period) * width + period]! += 1;
    }
  }

  /** Counts of some entities the last period in which they came back. */
  addLast(last: LastUnits, from: number, to: number): void {
    for (let entity = from; entity < to; entity += 1) {
      const cohort = this.cohorts[entity]!;
      if (cohort < FIRST) continue;
      const unit = this.units[cohort - FIRST]!;
      const period = Math.min(last.of(entity) - unit, this.axis.periodCount);
      if (period > 0) this.counts.returned[this.axis.placeOf(unit, period)]! += 1;
    }
  }
}
