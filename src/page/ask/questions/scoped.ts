import { endOfDay, startOfDay } from "../../state/dates.js";
import type { EventChoice } from "../../state/event-choice.js";
import { takesValue, type Filter } from "../../state/filter.js";
import type { ViewScope } from "../../state/scope.js";
import { post, type PageQuery } from "../question.js";

/** Members of bodies; those without a value are left out. */
type BodyMembers = Readonly<Record<string, unknown>>;

/** The route of an insight, asked for the scope and what else it takes. */
export function insight<A>(name: string, scope: ViewScope, members: BodyMembers): PageQuery<A> {
  const { from, to, zone, filters } = scope;
  const shared = { ...selector({ event: "", filters }), start_date: from, end_date: to, time_zone: zone };
  return post(`/v1/projects/${encodeURIComponent(scope.project)}/insights/${name}`, present({ ...shared, ...present(members) }));
}

/** Which events are meant: all filters hold. */
export function selector({ event, filters }: EventChoice): BodyMembers {
  return present({ event_name: event === "" ? null : event, filter_groups: filters.length === 0 ? null : [{ filters: filters.map(wireFilter) }] });
}

export function wireFilter({ field, operator, value }: Filter): object {
  return { field_name: field, operator, ...(takesValue(operator) && { value }) };
}

/** The range for questions whose own days are those of UTC, as instants. */
export function instants({ from, to, zone }: ViewScope): { readonly start_date: string | null; readonly end_date: string | null } {
  return { start_date: from === null ? null : startOfDay(from, zone), end_date: to === null ? null : endOfDay(to, zone) };
}

export function present(members: BodyMembers): BodyMembers {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));
}
