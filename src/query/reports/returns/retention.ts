/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { orAfter, RetentionTimes, type CohortCounts, type PeriodAxis } from "../../answer/insights/retention-periods.js";
import { inPieces } from "../../../core/base/yield.js";
import { popcount } from "../../../storage/column/bitmap.js";
import { countedEntitiesOf, entitiesByUnit, type CountedEntities, type EntitiesByUnit } from "../insights/counted-entities.js";
import { extentOf } from "../insights/row-units.js";
import { BitsOfUnits, LastUnits, type EntityBits } from "./entities-of-units.js";
import type { RetentionPlan } from "../../plan/insights/plan.js";
import type { Retention } from "../../plan/insights/answers.js";
import { asOfAnswer, type Report, type StateOf } from "../form/report.js";
import { rowKeysOf } from "../insights/row-keys.js";
import { firstsByUnit, membersOf } from "./first-rows.js";
import { RetentionByValues } from "./retention-by-values.js";

interface Cohort {
  readonly unitMs: number;
  readonly size: number;
  readonly members: EntityBits;
}

/** Number of cohort words whose reading costs about as much as finding the cohorts of 32 entities one by one. */
const WORDS_PER_WORD = 64;

/** Puts each entity into the cohort in which it was first seen. */
class FirstTimeCohorts {
  readonly #seen: Uint32Array;
  /** In order. */
  readonly #cohorts: Cohort[] = [];

  constructor(readonly units: BitsOfUnits) {
    this.#seen = new Uint32Array(units.wordCount);
  }

  addEarlier({ places, words }: EntityBits): void {
    for (let at = 0; at < places.length; at += 1) this.#seen[places[at]!]! |= words[at]!;
  }

  /** Adds the entities of a unit after the last one: those not seen before become members of its cohort. */
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

  get unitStarts(): number[] {
    return this.#cohorts.map(({ unitMs }) => unitMs);
  }

  /** The cohorts on an axis that contains all units with members. */
  on(axis: PeriodAxis): FirstTimeReturns {
    return new FirstTimeReturns(axis, this.#cohorts, this.units);
  }
}

class FirstTimeReturns {
  readonly counts: CohortCounts;
  /** By cohort. */
  readonly #units: readonly number[];
  /** The words of a unit by index; 0 between units. */
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

  /** Counts entities that came back in a unit. Cost: the words of the cohorts concerned, or if these are many, the entities of the unit. */
  add(unit: number, returned: EntityBits): void {
    const { axis, cohorts } = this;
    const concerned = cohorts.flatMap(({ members }, cohort) => {
      const period = unit - this.#units[cohort]!;
      return period > 0 && period <= axis.periodCount ? [{ members, place: axis.placeOf(this.#units[cohort]!, period) }] : [];
    });
    if (concerned.reduce((sum, { members }) => sum + members.places.length, 0) > returned.places.length * WORDS_PER_WORD) return this.#addEach(unit, returned);
    const words = this.#words;
    for (let at = 0; at < returned.places.length; at += 1) words[returned.places[at]!] = returned.words[at]!;
    for (const { members, place } of concerned) this.counts.returned[place]! += commonCount(members, words);
    for (let at = 0; at < returned.places.length; at += 1) words[returned.places[at]!] = 0;
  }

  /** Counts the last period in which each entity of a range came back. */
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

  /** By entity: the number of its cohort + 1; 0 for none. */
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

/** Earlier cohorts stored per entity: the bits of a number, except that of the current cohort. */
const RECENT_COUNT = 31;

/**
 * Tracks in which of the last cohorts each entity is a member, unit by unit; an entity that comes back is counted in each of them.
 * Cohorts may be added a number of units late: later periods are counted then.
 */
class RecentCohorts {
  /** By entity: bit k is set for the cohort that was added k units before `#units`. */
  readonly #bits: Uint32Array;
  readonly #units: Uint32Array;

  /** @param end exclusive upper bound of entities @param late units by which a cohort is added after its own */
  constructor(
    end: number,
    readonly axis: PeriodAxis,
    readonly late: number,
  ) {
    this.#bits = new Uint32Array(end);
    this.#units = new Uint32Array(end);
  }

  /** Counts entities that came back in a unit, each once, in the cohorts added in earlier units. */
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

  /** Adds members of the cohort of the unit that is `late` units before this one. */
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

/** The entity keys of a retention's events, by unit. */
interface RetentionStates {
  /** Entity keys of the cohort event before all cohorts; empty unless only the first time counts. */
  readonly earlier: EntitiesByUnit;
  readonly cohorts: EntitiesByUnit;
  readonly returns: EntitiesByUnit;
}

interface CountedCohorts {
  readonly axis: PeriodAxis;
  readonly counts: CohortCounts;
}

/** Entities read between two pauses. */
const PIECE_COUNT = 256 * 1024;

/** The cohorts of a retention without a breakdown. Cost: one step per entity and unit; for first times, one per word of 32 entities. */
class PlainRetention {
  readonly #bits: BitsOfUnits;

  constructor(
    readonly times: RetentionTimes,
    readonly states: RetentionStates,
    readonly entities: CountedEntities,
    readonly pause: () => Promise<void>,
  ) {
    this.#bits = new BitsOfUnits(entities);
  }

  /** @throws invalid_parameter (too many cohorts) */
  counted(): Promise<CountedCohorts> {
    return this.times.plan.cohort === "first_time" ? this.#firstTime() : this.#recurring();
  }

  async #firstTime(): Promise<CountedCohorts> {
    const { times, states, entities, pause } = this;
    const cohorts = new FirstTimeCohorts(this.#bits);
    await this.#eachUnit(states.earlier, (_unitMs, bits) => cohorts.addEarlier(bits));
    await this.#eachUnit(states.cohorts, (unitMs, bits) => cohorts.add(unitMs, bits));
    const axis = times.axisOf(extentOf(cohorts.unitStarts, times.cohorts));
    const returns = cohorts.on(axis);
    const { counts } = returns;
    if (times.plan.returned === "on") {
      await this.#eachUnit(states.returns, (unitMs, bits) => returns.add(axis.unitOf(unitMs), bits));
      return { axis, counts };
    }
    const last = await this.#lastReturns(axis);
    await inPieces(entities.end, pause, (from, to) => returns.addLast(last, from, to), PIECE_COUNT);
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

  /** Counts returns in the periods after the first `late` ones, as many as are tracked. */
  async #countRecent(axis: PeriodAxis, counts: CohortCounts, late: number): Promise<void> {
    const { states, pause } = this;
    const bits = this.#bits;
    const recent = new RecentCohorts(this.entities.end, axis, late);
    for (let unit = 0; unit < axis.unitCount; unit += 1) {
      for (const piece of bits.entitiesOf(states.returns.get(axis.bounds[unit]!) ?? [])) {
        recent.countReturns(counts, unit, piece);
        await pause();
      }
      for (const piece of bits.entitiesOf(states.cohorts.get(axis.bounds[unit - late]!) ?? [])) {
        recent.addMembers(unit, piece);
        if (late === 0) counts.sizes[unit]! += piece.length;
        await pause();
      }
    }
  }

  async #lastReturns(axis: PeriodAxis): Promise<LastUnits> {
    const last = new LastUnits(this.entities.end);
    await this.#eachPiece(this.states.returns, (unitMs, piece) => last.add(axis.unitOf(unitMs), piece));
    return last;
  }

  async #eachUnit(byUnit: EntitiesByUnit, take: (unitMs: number, bits: EntityBits) => void): Promise<void> {
    for (const [unitMs, parts] of [...byUnit].sort(([a], [b]) => a - b)) {
      take(unitMs, this.#bits.of(parts));
      await this.pause();
    }
  }

  /** Visits the entities of all units in order, in chunks. */
  async #eachPiece(byUnit: EntitiesByUnit, take: (unitMs: number, piece: Uint32Array) => void): Promise<void> {
    for (const [unitMs, parts] of [...byUnit].sort(([a], [b]) => a - b))
      for (const piece of this.#bits.entitiesOf(parts)) {
        take(unitMs, piece);
        await this.pause();
      }
  }
}

const NEVER = { fromMs: 0, toMs: 0 };

/** How many members of each cohort come back. Cost: cached spans of days, and a few steps per entity and unit. */
export const retention: Report<RetentionPlan, Retention> = {
  needsCompanies: ({ level }) => level === "account",
  readsTables: true,
  prepare: (plan, context) => {
    const { definition, cohortEvent, returnEvent, cohort, breakdown } = plan;
    const { pause } = context;
    const times = new RetentionTimes(plan);
    const counted = countedEntitiesOf(plan.level, context);
    const keys = rowKeysOf(breakdown?.fields ?? [], context);
    const isFirstTime = cohort === "first_time";
    const made = isFirstTime ? { fromMs: 0, toMs: times.cohorts.toMs } : times.cohorts;
    /** Entity keys of the cohort event before all cohorts, if only the first time counts, and in them. */
    const earlier = entitiesByUnit({ ...cohortEvent, range: isFirstTime && breakdown === null ? times.earlier : NEVER }, [null], counted);
    const cohorts = entitiesByUnit({ ...cohortEvent, range: breakdown === null ? times.cohorts : NEVER }, [times.cut], counted);
    /** Replaces both if there is a breakdown: the first cohort event of each entity key. */
    const firsts = firstsByUnit({ ...cohortEvent, range: breakdown === null ? NEVER : made }, isFirstTime ? null : times.cut, counted, keys);
    const returns = entitiesByUnit({ ...returnEvent, range: times.returns }, [times.cut], counted);
    const finish = async (stateOf: StateOf): Promise<Retention> => {
      const asOf = asOfAnswer(plan, context);
      if (breakdown === null) {
        const states = { earlier: stateOf(earlier), cohorts: stateOf(cohorts), returns: stateOf(returns) };
        const { axis, counts } = await new PlainRetention(times, states, counted, pause).counted();
        return { definition, asOf, cohorts: axis.cohortsOf(counts), total: axis.totalOf(counts), rows: null, rest: null, valueCount: 0 };
      }
      const members = await membersOf(stateOf(firsts), counted, context, pause);
      const byValues = new RetentionByValues(times, breakdown, keys, new BitsOfUnits(counted), pause);
      return { definition, asOf, ...(await byValues.answers(members, stateOf(returns))) };
    };
    return { passes: [earlier, cohorts, firsts, returns], finish };
  },
};
