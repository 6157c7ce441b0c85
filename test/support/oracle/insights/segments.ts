import { DaybookError, parameterError } from "../../../../src/core/base/errors.js";
import type { PeopleSegment, SegmentCondition, SegmentsInput } from "../../../../src/query/plan/input.js";
import type { DatesInput } from "../dates.js";
import type { OracleEvent } from "../event.js";
import { filterGroups, valueTest, type Membership } from "../filter.js";
import type { Identity } from "../identities.js";
import { DAY_MS, type Span } from "../instant.js";
import type { World } from "../world.js";
import { isWithin } from "./buckets.js";
import { companyValue, personValue } from "./known-field.js";
import { zonedRange } from "./range.js";

/** Of which project events are, and in which zone days. */
interface SegmentScope extends SegmentsInput {
  readonly project?: string | null | undefined;
  readonly timeZone?: string | null | undefined;
}

/**
 * Who is in the segments of a query, and in the saved ones.
 * @throws invalid_parameter (a name is of both), and what is wrong with any segment of the query
 */
export function membershipOf(world: World, input: SegmentScope): Membership {
  const inline = input.segments ?? {};
  const saved = world.rules.segments;
  for (const name of Object.keys(inline)) {
    if (Object.hasOwn(saved, name)) throw parameterError("invalid_parameter", `segments.${name}`, "expected a new name, got the name of a saved segment");
  }
  for (const segment of Object.values(inline)) membersOf(world, segment, input);
  return (name) => {
    const segments = { ...saved, ...inline };
    const segment = typeof name === "string" && Object.hasOwn(segments, name) ? segments[name] : undefined;
    if (segment === undefined) throw parameterError("invalid_filter_value", "value", "expected the name of a segment");
    return membersOf(world, segment, input);
  };
}

function membersOf(world: World, { groups }: PeopleSegment, scope: SegmentScope): (identity: Identity) => boolean {
  const settled = groups.map(({ conditions }) => conditions.map((condition) => holdsFor(world, condition, scope)));
  const known = new Map<Identity, boolean>();
  return (identity) => {
    const isMember = known.get(identity) ?? settled.some((group) => group.every((holds) => holds(identity)));
    known.set(identity, isMember);
    return isMember;
  };
}

function holdsFor(world: World, condition: SegmentCondition, scope: SegmentScope): (identity: Identity) => boolean {
  const { identities, companies } = world;
  const eventsOf = (identity: Identity) => world.events
    .filter(({ record }) => record.project === (scope.project ?? record.project))
    .filter((event) => identities.of(event) === identity);
  if (condition.type === "trait") {
    const test = valueTest(condition);
    const { field } = condition;
    if (field === "") throw parameterError("invalid_parameter", "field", "expected a name");
    return (identity) => test(personValue(world, identity, field));
  }
  if (condition.type === "company") {
    const test = valueTest(condition);
    const field = condition.field ?? null;
    if (field === "") throw parameterError("invalid_parameter", "field", "expected a name");
    return (identity) => {
      const companyId = companies.lastOf(identity);
      return test(field === null ? companyId : companyValue(world, companyId, field));
    };
  }
  const window = windowOf(world, condition, scope.timeZone ?? "UTC");
  if (condition.type === "first_seen" || condition.type === "last_seen") {
    if (window.fromMs === -Infinity && window.toMs === Infinity) throw parameterError("invalid_parameter", "startDate", "expected a window");
    const at = condition.type === "first_seen" ? 0 : -1;
    return (identity) => eventsOf(identity).slice(at).slice(0, 1).some(({ createdAtMs }) => isWithin(createdAtMs, window));
  }
  if (condition.type !== "did" && condition.type !== "did_not") throw parameterError("invalid_parameter", "type", "expected a condition");
  const passes = filterGroups(condition.filterGroups, world, null);
  const doings = (identity: Identity): OracleEvent[] => eventsOf(identity)
    .filter(({ record }) => record.name === (condition.eventName ?? record.name))
    .filter(({ createdAtMs }) => isWithin(createdAtMs, window))
    .filter(passes);
  if (condition.type === "did_not") return (identity) => doings(identity).length === 0;
  const [atLeast, atMost] = [condition.atLeast ?? 1, condition.atMost ?? Infinity];
  return (identity) => doings(identity).length >= atLeast && doings(identity).length <= atMost;
}

interface WindowInput extends DatesInput {
  readonly lastDays?: number | null | undefined;
}

/** @throws invalid_date, invalid_date_range, exactly_one_required */
function windowOf({ rules: { nowMs } }: World, { startDate, endDate, lastDays }: WindowInput, timeZone: string): Span {
  if ((lastDays ?? null) === null) return zonedRange({ startDate, endDate }, timeZone);
  if ((startDate ?? null) !== null || (endDate ?? null) !== null) throw new DaybookError("exactly_one_required", "expected dates or lastDays");
  return { fromMs: nowMs - (lastDays ?? 0) * DAY_MS, toMs: nowMs + 1 };
}
