import type { CountEventsInput, SegmentsInput } from "../../../src/query/plan/input.js";
import { rangeOf } from "./dates.js";
import type { OracleEvent } from "./event.js";
import { filterGroups } from "./filter.js";
import { membershipOf } from "./insights/segments.js";
import type { World } from "./world.js";

/** The events that a query is about. @throws every code that a bad date or filter deserves */
export function scopedEvents(world: World, input: CountEventsInput & SegmentsInput): OracleEvent[] {
  const { fromMs, toMs } = rangeOf(input);
  const passes = filterGroups(input.filterGroups, world, membershipOf(world, input));
  const { identities } = world;
  const userId = input.userId ?? null;
  const identity = userId === null ? null : identities.find(userId);
  return world.events
    .filter((event) => (input.project ?? event.record.project) === event.record.project)
    .filter((event) => (input.eventName ?? event.record.name) === event.record.name)
    .filter((event) => userId === null || (identity !== null && identities.of(event) === identity))
    .filter((event) => event.createdAtMs >= fromMs && event.createdAtMs < toMs)
    .filter(passes);
}
