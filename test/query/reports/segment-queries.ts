import type { FilterGroupInput, FilterInput } from "daybook";
import type { Random } from "daybook/testing";
import type { PeopleSegment, SegmentCondition } from "../../../src/query/plan/input.js";
import type { KnownQuery } from "./known-plan.js";
import { knownFilter, knownQueries } from "./known-queries.js";

/** Fields of conditions' own filters. */
const fields = ["person.plan", "company.plan", "person.email", "first_touch.source", "last_touch.source", "name", "company_id", "touch_source"];

/** Old queries with filters by segments, of which some stand in several of them. */
export function segmentQueries(random: Random): KnownQuery[] {
  const segments = { a: segment(random), "b-2": segment(random) };
  return knownQueries(random, fields).map(({ report, input }) => ({ report, input: { ...input, segments, filterGroups: bySegment(random, input.filterGroups ?? []) } }) as KnownQuery);
}

/** Groups with a filter by segment in each, or in a group of its own. */
function bySegment(random: Random, groups: readonly FilterGroupInput[]): FilterGroupInput[] {
  const filter = (): FilterInput => ({ fieldName: "identity_id", operator: random.pick(["in_segment", "in_segment", "not_in_segment"]), value: random.pick(["a", "b-2"]) });
  if (random.chance(0.4)) return [{ filters: [filter()] }];
  return random.chance(0.5) ? [...groups, { filters: [filter(), filter()] }] : groups.map(({ filters }) => ({ filters: [...filters, filter()] }));
}

function segment(random: Random): PeopleSegment {
  return { groups: Array.from({ length: random.pick([1, 1, 2]) }, () => ({ conditions: Array.from({ length: random.pick([1, 1, 2, 3]) }, () => condition(random)) })) };
}

function condition(random: Random): SegmentCondition {
  const selector = () => ({
    ...(random.chance(0.5) ? { eventName: random.pick(["Pageview", "click", "Payment"]) } : {}),
    ...(random.chance(0.3) ? { filterGroups: [{ filters: [knownFilter(random, fields)] }] } : {}),
  });
  const window = () => (random.chance(0.3) ? { lastDays: random.pick([1, 9, 10, 30, 100]) } : {
    ...(random.chance(0.5) ? { startDate: random.pick(["2026-01-01", "2026-03-01", "2026-03-01T00:30:00Z"]) } : {}),
    ...(random.chance(0.5) ? { endDate: random.pick(["2026-03-01", "2026-03-01T01:00:00Z", "2026-03-09"]) } : {}),
  });
  const given = () => random.pick([{ lastDays: random.pick([1, 9, 10, 30]) }, { startDate: "2026-03-01" }, { endDate: "2026-03-01T00:30:00Z" }, { startDate: "2026-02-28", endDate: "2026-03-01" }]);
  const counts = () => {
    const atLeast = random.between(1, 3);
    return { ...(random.chance(0.7) ? { atLeast } : {}), ...(random.chance(0.4) ? { atMost: atLeast + random.between(0, 2) } : {}) };
  };
  return random.pick<() => SegmentCondition>([
    () => ({ type: "did", ...selector(), ...window(), ...counts() }),
    () => ({ type: "did", ...selector(), ...window(), ...counts() }),
    () => ({ type: "did_not", ...selector(), ...window() }),
    () => ({ type: random.pick(["first_seen", "last_seen"]), ...given() }),
    () => comparison("trait", knownFilter(random, ["person.plan", "person.a.b", "person.email"])),
    () => comparison("company", knownFilter(random, ["company_id", "company.plan", "company.a"])),
  ])();
}

function comparison(type: "trait" | "company", { fieldName, operator, value }: FilterInput): SegmentCondition {
  const [, ...rest] = fieldName.split(".");
  const field = rest.join(".");
  return { type, ...(field === "" ? {} : { field }), operator, ...(value === undefined ? {} : { value }) } as SegmentCondition;
}
