import type { EventInput, FilterGroupInput } from "daybook";
import type { HistoryItem } from "../support/index.js";
import type { Query } from "../support/random/event-queries.js";

/** A failing case: what arrived, and what was asked. */
export interface Case {
  readonly events: readonly HistoryItem[];
  readonly query: { readonly report: string; readonly input: object };
}

/** What the comparison of events alone looks at. */
export interface EventCase extends Case {
  readonly events: readonly EventInput[];
  readonly query: Query;
}

/** The smallest case found by leaving out events, records, members and filters, one at a time, while it still fails. */
export async function minimise<C extends Case>(start: C, fails: (smaller: C) => Promise<boolean>): Promise<C> {
  let smallest = start;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const parts of smallerCases(smallest)) {
      const smaller = { ...smallest, ...parts };
      if (!(await fails(smaller))) continue;
      smallest = smaller;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

function* smallerCases({ events, query }: Case): Generator<Partial<Case>> {
  for (let size = Math.ceil(events.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < events.length; at += size) yield { events: events.toSpliced(at, size) };
  }
  for (const input of smallerInputs(query.input)) yield { query: { ...query, input } };
  for (const [at, item] of events.entries()) {
    for (const smaller of smallerItems(item)) yield { events: events.with(at, smaller) };
  }
}

function* smallerInputs(input: { readonly filterGroups?: readonly FilterGroupInput[] | null }): Generator<object> {
  const needed = ["project", "companyId", "userId", "email"];
  for (const member of Object.keys(input).filter((name) => !needed.includes(name))) yield without(input, member);
  const groups = input.filterGroups ?? [];
  for (const [at, { filters }] of groups.entries()) {
    yield { ...input, filterGroups: groups.toSpliced(at, 1) };
    for (const index of filters.keys()) {
      yield { ...input, filterGroups: groups.with(at, { filters: filters.toSpliced(index, 1) }) };
    }
  }
}

function* smallerItems(item: HistoryItem): Generator<HistoryItem> {
  if ("unlink" in item) return;
  if ("identify" in item) for (const identify of smallerObjects(item.identify, "traits")) yield { identify };
  else if ("group" in item) for (const group of smallerObjects(item.group, "traits")) yield { group };
  else if ("alias" in item) for (const alias of smallerObjects(item.alias, "traits")) yield { alias };
  else yield* smallerObjects(item, "metadata");
}

/** An object without one of its members, or without one key of the object in one of them. */
function* smallerObjects<T extends object>(object: T, nested: "metadata" | "traits"): Generator<T> {
  const needed = ["id", "name", "createdAt", "created_at", "timestamp"];
  for (const member of Object.keys(object).filter((name) => !needed.includes(name))) yield without(object, member);
  const inner: unknown = Object.entries(object).find(([member]) => member === nested)?.[1];
  if (typeof inner !== "object" || inner === null) return;
  for (const key of Object.keys(inner)) yield { ...object, [nested]: without(inner, key) };
}

function without<T extends object>(value: T, member: string): T {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== member)) as T;
}
