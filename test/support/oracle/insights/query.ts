import { parameterError } from "../../../../src/core/base/errors.js";
import type { Insight } from "../../../../src/query/plan/insights/answers.js";
import type { EventSelector, InsightInput } from "../../../../src/query/plan/input.js";
import type { OracleEvent } from "../event.js";
import { filterGroups } from "../filter.js";
import type { Span } from "../instant.js";
import type { World } from "../world.js";
import { isWithin } from "./buckets.js";
import { WEEK_DAYS, type Calendar } from "./calendar.js";
import { oneOf } from "./one-of.js";
import { zonedRange } from "./range.js";
import { membershipOf } from "./segments.js";
import { offsetMs } from "./zone.js";

/** An answer without what only a Daybook can tell. */
export type Bare<Answer extends Insight> = Omit<Answer, keyof Insight>;

/** What all insights ask. */
export interface Query {
  readonly world: World;
  readonly calendar: Calendar;
  readonly range: Span;
  /** The events of the project, of all times, in order. */
  readonly all: readonly OracleEvent[];
  /** Those of them that match. */
  readonly matching: readonly OracleEvent[];
  /** Says which events another part of the query means. */
  selects(selector: EventSelector): (event: OracleEvent) => boolean;
}

/** @throws every code that a bad zone, date or filter deserves */
export function queryOf(world: World, input: InsightInput): Query {
  if (typeof input.asOf === "number") throw parameterError("invalid_parameter", "asOf", "expected none: ask the oracle of an earlier history");
  const calendar: Calendar = { timeZone: input.timeZone ?? "UTC", weekStart: oneOf("weekStart", input.weekStart, WEEK_DAYS) };
  offsetMs(calendar.timeZone, 0);
  const membership = membershipOf(world, input);
  const selects = ({ eventName, filterGroups: groups }: EventSelector) => {
    const passes = filterGroups(groups, world, membership);
    return (event: OracleEvent) => event.record.name === (eventName ?? event.record.name) && passes(event);
  };
  const all = world.events.filter(({ record }) => record.project === (input.project ?? record.project));
  return { world, calendar, range: zonedRange(input, calendar.timeZone), all, matching: all.filter(selects(input)), selects };
}

/** The events in a range. */
export function within(events: readonly OracleEvent[], range: Span): OracleEvent[] {
  return events.filter(({ createdAtMs }) => isWithin(createdAtMs, range));
}

/** How many identities are behind some events. */
export function userCount({ identities }: World, events: readonly OracleEvent[]): number {
  return new Set(events.map(identities.of).filter((identity) => identity !== null)).size;
}
