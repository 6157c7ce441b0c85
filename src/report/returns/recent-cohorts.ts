/* eslint-disable @typescript-eslint/no-non-null-assertion -- entities are below the end */
import type { CohortCounts, PeriodAxis } from "../../answer/insights/retention-periods.js";

/** Cohorts that are remembered of an entity: bits of one number, but for that of the cohort of now. */
export const RECENT_COUNT = 31;

/**
 * Who was a member of which of the last cohorts, while units go by: those who come back are counted in each of them. A cohort may be
 * told of a number of units late: then later periods are counted.
 */
export class RecentCohorts {
  /** By entity: bit k for the cohort that was told of k units before `#units`. */
  readonly #bits: Uint32Array;
  readonly #units: Uint32Array;

  /** @param end all entities are below it @param late units after its own that a cohort is told of */
  constructor(
    end: number,
    readonly axis: PeriodAxis,
    readonly late: number,
  ) {
    this.#bits = new Uint32Array(end);
    this.#units = new Uint32Array(end);
  }

  /** Counts some who came back in a unit, each once, in the cohorts that were told of in units before. */
  countReturns(counts: CohortCounts, unit: number, entities: Uint32Array): void {
    const { late } = this;
    const { periodCount } = this.axis;
    const { returned } = counts;
    const width = periodCount + 1;
    for (let at = 0; at < entities.length; at += 1) {
      for (let rest = this.#bitsAt(entities[at]!, unit); rest !== 0; rest &= rest - 1) {
        const period = 31 - Math.clz32(rest & -rest) + late;
        if (period > late && period <= periodCount) returned[(unit - period) * width + period]! += 1;
      }
    }
  }

  /** Tells of some members of the cohort of the unit that is `late` units before this one. */
  addMembers(unit: number, entities: Uint32Array): void {
    for (let at = 0; at < entities.length; at += 1) {
      const entity = entities[at]!;
      this.#bits[entity] = this.#bitsAt(entity, unit) | 1;
      this.#units[entity] = unit;
    }
  }

  #bitsAt(entity: number, unit: number): number {
    const ago = unit - this.#units[entity]!;
    return ago > RECENT_COUNT ? 0 : this.#bits[entity]! << ago;
  }
}
