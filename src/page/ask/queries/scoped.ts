import { endOfDay, startOfDay } from "../../state/period.js";
import type { EventChoice } from "../../state/event-choice.js";
import { takesValue, type Filter } from "../../state/filter.js";
import type { ViewScope } from "../../state/view-state.js";
import { post, type PageQuery } from "../page-query.js";

/** Members of request bodies; those without a value are left out. */
type BodyMembers = Readonly<Record<string, unknown>>;

/** A query on an insight route, for a scope and additional members. */
export function insight<A>(name: string, scope: ViewScope, members: BodyMembers): PageQuery<A> {
  const { from, to, zone, filters } = scope;
  const shared = { ...selector({ event: "", filters }), start_date: from, end_date: to, time_zone: zone };
  return post(`/v1/projects/${encodeURIComponent(scope.project)}/insights/${name}`, present({ ...shared, ...present(members) }));
}

/** Selects events by name and filters, all of which must match. */
export function selector({ event, filters }: EventChoice): BodyMembers {
  return present({ event_name: event === "" ? null : event, filter_groups: filters.length === 0 ? null : [{ filters: filters.map(wireFilter) }] });
}

export function wireFilter({ field, operator, value }: Filter): object {
  return { field_name: field, operator, ...(takesValue(operator) && { value }) };
}

/** The range as instants, for routes that count days in UTC. */
export function instants({ from, to, zone }: ViewScope): { readonly start_date: string | null; readonly end_date: string | null } {
  return { start_date: from === null ? null : startOfDay(from, zone), end_date: to === null ? null : endOfDay(to, zone) };
}

export function present(members: BodyMembers): BodyMembers {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));
}
