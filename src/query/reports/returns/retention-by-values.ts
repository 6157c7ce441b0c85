/* eslint-disable @typescript-eslint/no-non-null-assertion -- places, keys and units are bounded by their numbers */
import { placesByKey } from "../../../core/base/arrays.js";
import { inPieces, runYielding } from "../../../core/base/yield.js";
import { combinationsOf, type KeyGroups } from "../../answer/insights/combinations.js";
import { orAfter, type CohortCounts, type PeriodAxis, type RetentionTimes } from "../../answer/insights/retention-periods.js";
import type { Retention, RetentionPeriod } from "../../plan/insights/answers.js";
import type { BreakdownPlan } from "../../plan/insights/plan.js";
import type { RowKeys } from "../insights/row-keys.js";
import type { EntitiesByUnit } from "../insights/counted-entities.js";
import { LastUnits, type BitsOfUnits } from "./entities-of-units.js";
import type { MembersSince } from "./first-rows.js";

/** Totals of groups of members, over the cohorts whose period is over. */
class GroupPeriods {
  /** By group and period: members for which it is the last one over, and members for which it is the last one over in which they came back. */
  readonly #members: Uint32Array;
  readonly #furthest: Uint32Array;
  /** By group and period: members that came back in it. */
  readonly #returned: Uint32Array;
  readonly #width: number;

  constructor(
    readonly axis: PeriodAxis,
    groupCount: number,
  ) {
    this.#width = axis.periodCount + 1;
    this.#members = new Uint32Array(groupCount * this.#width);
    this.#furthest = new Uint32Array(groupCount * this.#width);
    this.#returned = new Uint32Array(groupCount * this.#width);
  }

  addMember(group: number, unit: number): void {
    const period = this.#lastOver(unit, this.axis.periodCount);
    if (period >= 0) this.#members[group * this.#width + period]! += 1;
  }

  addReturn(group: number, unit: number, period: number): void {
    if (unit + period < this.axis.overCount) this.#returned[group * this.#width + period]! += 1;
  }

  /** Adds the returns of a member in all periods up to one, which may be beyond the last. */
  addReturns(group: number, unit: number, period: number): void {
    const last = this.#lastOver(unit, period);
    if (last > 0) this.#furthest[group * this.#width + last]! += 1;
  }

  totalOf(group: number): RetentionPeriod[] {
    const from = group * this.#width;
    const [of, returned] = [new Float64Array(this.#width), new Float64Array(this.#width)];
    let [members, furthest] = [0, 0];
    for (let period = this.#width - 1; period >= 0; period -= 1) {
      of[period] = members += this.#members[from + period]!;
      furthest += this.#furthest[from + period]!;
      returned[period] = period === 0 ? members : furthest + this.#returned[from + period]!;
    }
    return this.axis.shown((period) => ({ of: of[period]!, entities: returned[period]! }));
  }

  /** The last period of a cohort that is over, but at most `period`; below 0 for none. */
  #lastOver(unit: number, period: number): number {
    return Math.min(period, this.axis.periodCount, this.axis.overCount - 1 - unit);
  }
}

/** Members by index, cohorts ascending. */
interface PlacedMembers {
  readonly entities: Uint32Array;
  readonly units: Uint32Array;
  readonly keys: Uint32Array;
}

interface ShownValues {
  readonly rows: readonly { readonly values: readonly string[]; readonly size: number }[];
  /** By key number: its groups, which are indexes of rows, and the number of rows for the rest. */
  readonly groupsOfKey: readonly (readonly number[])[];
  readonly valueCount: number;
}

type Answers = Pick<Retention, "cohorts" | "total" | "rows" | "rest" | "valueCount">;

const NO_GROUPS: readonly number[] = [];
const MEMBERS_PER_PAUSE = 64 * 1024;

/** The cohorts of a retention with a breakdown. Cost: a few reads per member, a few per entity and unit, and one per key. */
export class RetentionByValues {
  constructor(
    readonly times: RetentionTimes,
    readonly breakdown: BreakdownPlan,
    readonly keys: RowKeys,
    readonly bits: BitsOfUnits,
    readonly pause: () => Promise<void>,
  ) {}

  /** @param found members, including those before the cohorts @throws invalid_parameter (too many cohorts) */
  async answers(found: MembersSince, returns: EntitiesByUnit): Promise<Answers> {
    const { breakdown, times } = this;
    const axis = times.axisOf(extentOfTimes(found.times, times.cohorts.fromMs));
    const counts = axis.newCounts();
    const { members, keys } = await this.#placed(found, axis, counts);
    const shown = await this.#shownOf(keys, members);
    const groups = new GroupPeriods(axis, shown.rows.length + 1);
    await this.#eachPiece(members, (place) => {
      for (const group of shown.groupsOfKey[members.keys[place]!]!) groups.addMember(group, members.units[place]!);
    });
    if (times.plan.returned === "on") await this.#countReturns(members, returns, counts, groups, shown);
    else await this.#countLast(members, returns, counts, groups, shown);
    const counted = times.plan.returned === "on" ? counts : orAfter(axis, counts);
    return {
      cohorts: axis.cohortsOf(counted),
      total: axis.totalOf(counted),
      rows: shown.rows.map(({ values, size }, group) => ({ values, size, total: groups.totalOf(group) })),
      rest: breakdown.rest ? groups.totalOf(shown.rows.length) : null,
      valueCount: shown.valueCount,
    };
  }

  /** Assigns members to cohorts, numbers their keys and counts sizes. Members before the cohorts are left out. */
  async #placed(found: MembersSince, axis: PeriodAxis, counts: CohortCounts): Promise<{ readonly members: PlacedMembers; readonly keys: readonly number[] }> {
    const { fromMs } = this.times.cohorts;
    const { bounds } = axis;
    const numbers = new Uint32Array(maxOf(found.keys) + 1);
    const keys: number[] = [];
    const members = { entities: new Uint32Array(found.times.length), units: new Uint32Array(found.times.length), keys: new Uint32Array(found.times.length) };
    let [count, unit] = [0, 0];
    await this.#eachPiece(found, (place) => {
      const [ms, key] = [found.times[place]!, found.keys[place]!];
      if (ms < fromMs) return;
      // Mostly it is the unit of the previous member.
      if (ms < bounds[unit]! || ms >= bounds[unit + 1]!) unit = axis.unitOf(ms + 1) - 1;
      if (numbers[key] === 0) numbers[key] = keys.push(key);
      members.entities[count] = found.entities[place]!;
      members.units[count] = unit;
      members.keys[count] = numbers[key]! - 1;
      counts.sizes[unit]! += 1;
      count += 1;
    });
    return { members: { entities: members.entities.subarray(0, count), units: members.units.subarray(0, count), keys: members.keys.subarray(0, count) }, keys };
  }

  async #shownOf(keys: readonly number[], members: PlacedMembers): Promise<ShownValues> {
    const { pause, breakdown } = this;
    const sizesOfKeys = new Uint32Array(keys.length);
    await this.#eachPiece(members, (place) => (sizesOfKeys[members.keys[place]!]! += 1));
    // Uses numbers of keys as keys.
    const groups: KeyGroups = { groupsOf: (number) => this.keys.groupsOf(keys[number]!), valuesOfGroup: (group) => this.keys.valuesOfGroup(group) };
    const all = await runYielding(combinationsOf(keys.keys(), groups), pause);
    const sizes = await runYielding(all.sumsOf((number) => sizesOfKeys[number]!), pause);
    const shown = await runYielding(all.greatest(sizes, breakdown.limit), pause);
    const groupsOfKey = new Array<readonly number[]>(keys.length).fill(NO_GROUPS);
    const put = (number: number, group: number) => (groupsOfKey[number] = [...groupsOfKey[number]!, group]);
    shown.forEach((place, group) => all.keysOf(place).forEach((number) => put(number, group)));
    if (breakdown.rest) {
      const rest = await runYielding(all.restOf(shown), pause);
      await inPieces(rest.length, pause, (from, to) => {
        for (let at = from; at < to; at += 1) put(rest[at]!, shown.length);
      });
    }
    return { rows: shown.map((place) => ({ values: all.valuesOf(place), size: sizes[place]! })), groupsOfKey, valueCount: all.count };
  }

  async #countReturns(members: PlacedMembers, returns: EntitiesByUnit, { returned }: CohortCounts, groups: GroupPeriods, { groupsOfKey }: ShownValues): Promise<void> {
    const { axis } = groups;
    const { starts, places } = await runYielding(placesByKey(members.entities, this.bits.counted.end), this.pause);
    // By entity: the index of its first member that may still return.
    const firsts = starts.slice();
    await this.#eachReturn(axis, returns, (unit, piece) => {
      for (let at = 0; at < piece.length; at += 1)
        for (let list = firsts[piece[at]!]!; list < starts[piece[at]! + 1]!; list += 1) {
          const member = places[list]!;
          const period = unit - members.units[member]!;
          if (period <= 0) break;
          if (period > axis.periodCount) {
            // Units ascend, so a cohort that is too old now stays too old.
            firsts[piece[at]!]! += 1;
            continue;
          }
          returned[axis.placeOf(unit - period, period)]! += 1;
          for (const group of groupsOfKey[members.keys[member]!]!) groups.addReturn(group, unit - period, period);
        }
    });
  }

  async #countLast(members: PlacedMembers, returns: EntitiesByUnit, { returned }: CohortCounts, groups: GroupPeriods, { groupsOfKey }: ShownValues): Promise<void> {
    const { axis } = groups;
    const last = new LastUnits(this.bits.counted.end);
    await this.#eachReturn(axis, returns, (unit, piece) => last.add(unit, piece));
    await this.#eachPiece(members, (place) => {
      const unit = members.units[place]!;
      const period = last.of(members.entities[place]!) - unit;
      if (period <= 0) return;
      returned[axis.placeOf(unit, Math.min(period, axis.periodCount))]! += 1;
      for (const group of groupsOfKey[members.keys[place]!]!) groups.addReturns(group, unit, period);
    });
  }

  /** Visits the entities that came back, units ascending. */
  async #eachReturn(axis: PeriodAxis, returns: EntitiesByUnit, take: (unit: number, piece: Uint32Array) => void): Promise<void> {
    for (const [unitMs, parts] of [...returns].sort(([a], [b]) => a - b))
      for (const piece of this.bits.entitiesOf(parts)) {
        take(axis.unitOf(unitMs), piece);
        await this.pause();
      }
  }

  async #eachPiece({ entities }: Pick<MembersSince, "entities">, take: (place: number) => void): Promise<void> {
    const takeAll = (from: number, to: number) => {
      for (let place = from; place < to; place += 1) take(place);
    };
    await inPieces(entities.length, this.pause, takeAll, MEMBERS_PER_PAUSE);
  }
}

function extentOfTimes(times: Float64Array, fromMs: number) {
  let [firstMs, lastMs] = [Infinity, -Infinity];
  for (const ms of times) {
    if (ms < fromMs) continue;
    if (ms < firstMs) firstMs = ms;
    if (ms > lastMs) lastMs = ms;
  }
  return firstMs > lastMs ? null : { firstMs, lastMs };
}

function maxOf(keys: Uint32Array): number {
  let max = 0;
  for (const key of keys) if (key > max) max = key;
  return max;
}
