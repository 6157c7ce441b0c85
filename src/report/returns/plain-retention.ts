/* eslint-disable @typescript-eslint/no-non-null-assertion -- units and places are bounded by the axis */
import { orAfter, type CohortCounts, type PeriodAxis } from "../../answer/insights/retention-periods.js";
import { BitsOfUnits, type EntityBits } from "./bits-of-units.js";
import { EntitiesOfUnits } from "./entities-of-units.js";
import { FirstTimeCohorts } from "./first-time-cohorts.js";
import { LastUnits } from "./last-units.js";
import { RECENT_COUNT, RecentCohorts } from "./recent-cohorts.js";
import type { RetentionTimes } from "./retention-times.js";
import type { Subjects } from "../insights/subjects.js";
import type { SubjectsByUnit } from "../insights/subjects-by-unit.js";
import { extentOf } from "../insights/unit-extent.js";

/** Who did what a retention asks for, and when. */
export interface RetentionStates {
  /** Who did before all cohorts what makes a member; where only the first time counts. */
  readonly earlier?: SubjectsByUnit;
  readonly cohorts: SubjectsByUnit;
  readonly returns: SubjectsByUnit;
}

/** Cohorts and their periods, and what is counted of them. */
export interface CountedCohorts {
  readonly axis: PeriodAxis;
  readonly counts: CohortCounts;
}

/** Entities that are looked at between two turns. */
const PIECE_COUNT = 256 * 1024;

/** The cohorts of a retention that is not broken down. Cost: a look at each entity of each unit; of first times, at each word of 32. */
export class PlainRetention {
  #entities: EntitiesOfUnits | null = null;

  constructor(
    readonly times: RetentionTimes,
    readonly states: RetentionStates,
    readonly subjects: Subjects,
    readonly pause: () => Promise<void>,
  ) {}

  /** Made when first asked for: it takes 4 bytes an entity. */
  get entities(): EntitiesOfUnits {
    return (this.#entities ??= new EntitiesOfUnits(this.subjects));
  }

  /** @throws invalid_parameter (too many cohorts) */
  counted(): Promise<CountedCohorts> {
    return this.times.plan.cohort === "first_time" ? this.#firstTime() : this.#recurring();
  }

  async #firstTime(): Promise<CountedCohorts> {
    const { times, states, subjects, pause } = this;
    const units = new BitsOfUnits(subjects);
    const cohorts = new FirstTimeCohorts(units);
    if (states.earlier !== undefined) await this.#eachUnit(units, states.earlier, (_unitMs, bits) => cohorts.addEarlier(bits));
    await this.#eachUnit(units, states.cohorts, (unitMs, bits) => cohorts.add(unitMs, bits));
    const axis = times.axisOf(extentOf(cohorts.unitStarts, times.cohorts));
    const returns = cohorts.on(axis);
    const { counts } = returns;
    if (times.plan.returned === "on") {
      await this.#eachUnit(units, states.returns, (unitMs, bits) => returns.add(axis.unitOf(unitMs), bits));
      return { axis, counts };
    }
    const last = await this.#lastReturns(axis);
    for (let from = 0; from < subjects.end; from += PIECE_COUNT) {
      returns.addLast(last, from, Math.min(from + PIECE_COUNT, subjects.end));
      await pause();
    }
    return { axis, counts: orAfter(axis, counts) };
  }

  async #recurring(): Promise<CountedCohorts> {
    const { times, states } = this;
    const axis = times.axisOf(extentOf(states.cohorts.keys(), times.cohorts));
    const counts = axis.newCounts();
    if (times.plan.returned === "on") {
      for (let late = 0; late < axis.periodCount; late += RECENT_COUNT) await this.#countRecent(axis, counts, late);
      return { axis, counts };
    }
    const last = await this.#lastReturns(axis);
    await this.#eachPiece(states.cohorts, (unitMs, piece) => {
      const unit = axis.unitOf(unitMs);
      counts.sizes[unit]! += piece.length;
      for (let at = 0; at < piece.length; at += 1) {
        const period = Math.min(last.of(piece[at]!) - unit, axis.periodCount);
        if (period > 0) counts.returned[axis.placeOf(unit, period)]! += 1;
      }
    });
    return { axis, counts: orAfter(axis, counts) };
  }

  /** Counts returns in the periods behind `late` ones, as many as are remembered. */
  async #countRecent(axis: PeriodAxis, counts: CohortCounts, late: number): Promise<void> {
    const { states, entities, pause } = this;
    const recent = new RecentCohorts(this.subjects.end, axis, late);
    for (let unit = 0; unit < axis.unitCount; unit += 1) {
      for (const piece of entities.of(states.returns.get(axis.bounds[unit]!) ?? [])) {
        recent.countReturns(counts, unit, piece);
        await pause();
      }
      for (const piece of entities.of(states.cohorts.get(axis.bounds[unit - late]!) ?? [])) {
        recent.addMembers(unit, piece);
        if (late === 0) counts.sizes[unit]! += piece.length;
        await pause();
      }
    }
  }

  async #lastReturns(axis: PeriodAxis): Promise<LastUnits> {
    const last = new LastUnits(this.subjects.end);
    await this.#eachPiece(this.states.returns, (unitMs, piece) => last.add(axis.unitOf(unitMs), piece));
    return last;
  }

  async #eachUnit(units: BitsOfUnits, byUnit: SubjectsByUnit, take: (unitMs: number, bits: EntityBits) => void): Promise<void> {
    for (const [unitMs, parts] of [...byUnit].sort(([a], [b]) => a - b)) {
      take(unitMs, units.of(parts));
      await this.pause();
    }
  }

  /** Hands out the entities of all units in order. */
  async #eachPiece(byUnit: SubjectsByUnit, take: (unitMs: number, piece: Uint32Array) => void): Promise<void> {
    for (const [unitMs, parts] of [...byUnit].sort(([a], [b]) => a - b))
      for (const piece of this.entities.of(parts)) {
        take(unitMs, piece);
        await this.pause();
      }
  }
}
