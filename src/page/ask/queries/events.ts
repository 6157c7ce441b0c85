import type { ChoicesOf } from "../../state/choices.js";
import type { ViewScope } from "../../state/scope.js";
import type { SearchAnswer } from "../answers.js";
import { post, type PageQuery } from "../page-query.js";
import { instants, present, wireFilter } from "./scoped.js";

const SEARCH_ROWS = 50;

/** Events of the project, newest first. @param cursor of the previous page; null: the first page */
export function searchQuery(scope: ViewScope, { event }: Pick<ChoicesOf<"events">, "event">, cursor: string | null): PageQuery<SearchAnswer> {
  return search(scope, { event_name: event === "" ? null : event, ...instants(scope) }, scope.filters.map(wireFilter), cursor);
}

/** One event by id, whatever its time. */
export function eventQuery(scope: ViewScope, id: string): PageQuery<SearchAnswer> {
  return search(scope, {}, [{ field_name: "id", operator: "is", value: id }], null);
}

/** What a person did in a time range, such as a session. */
export function eventsOfPersonQuery(identity: string, project: string, start: string, end: string): PageQuery<SearchAnswer> {
  const filters = [
    wireFilter({ field: "project", operator: "is", value: project }),
    wireFilter({ field: "identity_id", operator: "is", value: identity }),
  ];
  return post("/search-events", { start_date: start, end_date: end, filter_groups: [{ filters }], limit: SEARCH_ROWS, all_fields: true });
}

function search(
  { project }: ViewScope,
  members: Readonly<Record<string, unknown>>,
  filters: readonly object[],
  cursor: string | null,
): PageQuery<SearchAnswer> {
  const ofProject = wireFilter({ field: "project", operator: "is", value: project });
  const body = { ...members, filter_groups: [{ filters: [ofProject, ...filters] }], limit: SEARCH_ROWS, all_fields: true, cursor };
  return post("/search-events", present(body));
}
