import type { Retention, RetentionPeriod } from "../../../../src/query/plan/insights/answers.js";
import type { RetentionInput } from "../../../../src/query/plan/input.js";
import type { OracleEvent } from "../event.js";
import type { World } from "../world.js";
import { byValues, combinationsOf, groupsOf, restOf, shownCount } from "./breakdown.js";
import { axisOf, widened, type Slot } from "./buckets.js";
import { unitAt, type Unit } from "./calendar.js";
import { eventsByEntity } from "./entities.js";
import { rateOf } from "./exact.js";
import { levelOf, oneOf } from "./one-of.js";
import { queryOf, within, type Bare, type Query } from "./query.js";

/** A bucket, the unit that it lies in, and those in which its entities may return. */
interface Cohort {
  readonly slot: Slot;
  readonly units: readonly Unit[];
}

/** An entity in a cohort. */
interface Member {
  readonly cohort: Cohort;
  /** Its first cohort event in the cohort's bucket. */
  readonly entry: OracleEvent;
  readonly returnsMs: readonly number[];
}

export function retention(world: World, input: RetentionInput): Bare<Retention> {
  const query = queryOf(world, input);
  const { nowMs } = world.rules;
  const interval = intervalOf(input);
  const whole = widened(query.calendar, interval, query.range);
  const entities = entitiesOf(query, input);
  const entriesMs = within(entities.flatMap(({ entries }) => entries), whole).map(({ createdAtMs }) => createdAtMs);
  const cohorts = axisOf(query.calendar, interval, whole, entriesMs, nowMs).map((slot): Cohort => ({ slot, units: unitsOf(query, input, slot) }));
  const members = cohorts.flatMap((cohort) => entities.flatMap(({ entries, returnsMs }): Member[] => {
    const [entry] = within(entries, cohort.slot);
    return entry === undefined ? [] : [{ cohort, entry, returnsMs }];
  }));

  const cohortsOf = (some: readonly Member[]) => cohorts.map((cohort) => {
    const own = some.filter((member) => member.cohort === cohort);
    return { bucket: cohort.slot.bucket, size: own.length, periods: periodsOf(query, input, cohort, own) };
  });
  const totalOf = (some: readonly Member[]) => summed(cohortsOf(some).map(({ periods }) => periods), input);
  const breakdown = input.breakdown ?? null;
  const combine = combinationsOf(world, breakdown);
  const combinations = ({ entry }: Member) => combine(entry);
  const groups = breakdown === null ? [] : groupsOf(members, combinations);
  groups.sort((a, b) => b.own.length - a.own.length || byValues(a.values, b.values));
  const shown = breakdown === null ? [] : groups.slice(0, shownCount(breakdown));
  return {
    cohorts: cohortsOf(members),
    total: totalOf(members),
    rows: breakdown === null ? null : shown.map(({ values, own }) => ({ values, size: own.length, total: totalOf(own) })),
    rest: breakdown?.rest === true ? totalOf(restOf(members, combinations, shown.map(({ values }) => values))) : null,
    valueCount: groups.length,
  };
}

/** Of each entity the cohort events that count, and when it did what is a return. */
function entitiesOf({ world, matching, selects }: Query, input: RetentionInput) {
  const isRecurring = oneOf("cohort", input.cohort, ["first_time", "recurring"]) === "recurring";
  const [isCohortEvent, isReturn] = [selects(input.cohortEvent ?? {}), selects(input.returnEvent ?? {})];
  return eventsByEntity(world, matching, levelOf(input)).map((events) => {
    const entries = events.filter(isCohortEvent);
    return {
      entries: isRecurring ? entries : entries.slice(0, 1),
      returnsMs: events.filter(isReturn).map(({ createdAtMs }) => createdAtMs),
    };
  });
}

function unitsOf({ calendar }: Query, input: RetentionInput, { fromMs }: Slot): Unit[] {
  const interval = intervalOf(input);
  const units: Unit[] = [unitAt(calendar, interval, fromMs)];
  while (units.length <= lastPeriod(input)) units.push(unitAt(calendar, interval, units.at(-1)?.endMs ?? NaN));
  return units;
}

function periodsOf({ world }: Query, input: RetentionInput, { units }: Cohort, members: readonly Member[]): RetentionPeriod[] {
  const { nowMs } = world.rules;
  const isLaterToo = oneOf("returned", input.returned, ["on", "on_or_after"]) === "on_or_after";
  return units.map(({ startMs, endMs }, period) => {
    const isReturn = (ms: number) => ms >= startMs && (ms < endMs || isLaterToo);
    const returned = period === 0 ? members : members.filter(({ returnsMs }) => returnsMs.some(isReturn));
    const entities = period > 0 && startMs > nowMs ? null : returned.length;
    const rate = entities === null ? null : rateOf(entities, members.length);
    return { of: members.length, entities, rate, incomplete: endMs - 1 >= nowMs };
  });
}

/** Of each period the sums over the cohorts whose period is over. */
function summed(cohorts: readonly RetentionPeriod[][], input: RetentionInput): RetentionPeriod[] {
  return Array.from({ length: lastPeriod(input) + 1 }, (_, period) => {
    const all = cohorts.flatMap((periods) => periods[period] ?? []);
    const over = all.filter(({ incomplete }) => !incomplete);
    const of = over.reduce((sum, cohort) => sum + cohort.of, 0);
    const entities = over.reduce((sum, cohort) => sum + (cohort.entities ?? 0), 0);
    return { of, entities, rate: rateOf(entities, of), incomplete: over.length < all.length };
  });
}

function intervalOf({ interval }: RetentionInput) {
  return oneOf("interval", interval, ["day", "week", "month"]);
}

function lastPeriod({ periods }: RetentionInput): number {
  return periods ?? 11;
}
