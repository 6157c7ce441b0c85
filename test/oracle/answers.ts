import { DaybookError, type AggregateInput, type Daybook, type EventRecord, type SearchEventsPage } from "daybook";
import type { Oracle } from "../support/index.js";
import type { Query } from "../support/random/event-queries.js";

/** What a query deserves: its answer, or the code of the error. */
export type Outcome = { readonly answer: unknown } | { readonly error: string };

/** The outcome that a Daybook owes; of several faults in one query it may name any, so `actual` may choose. */
export function expectedOutcome(oracle: Oracle, query: Query, actual: Outcome): Outcome {
  const expected = oracleOutcome(oracle, query);
  const differs = "error" in expected && "error" in actual && expected.error !== actual.error;
  return differs && faultsOf(oracle, query).includes(actual.error) ? actual : expected;
}

function oracleOutcome(oracle: Oracle, query: Query): Outcome {
  try {
    return { answer: oracle[query.report](query.input as never) };
  } catch (error) {
    return errorOutcome(error);
  }
}

/** The codes that a query's filters, and what is left without them, deserve each on its own. */
function faultsOf(oracle: Oracle, query: Query): string[] {
  const { filterGroups, ...rest } = query.input;
  const filters = (filterGroups ?? []).flatMap((group) => group.filters);
  const parts: Query[] = filters.map((filter) => ({
    report: "countEvents",
    input: { filterGroups: [{ filters: [filter] }] },
  }));
  const { startDate, endDate, ...grouping } = rest;
  parts.push({ report: "countEvents", input: { startDate: startDate ?? null, endDate: endDate ?? null } });
  if (query.report === "aggregate") parts.push({ report: "aggregate", input: grouping as AggregateInput });
  return parts.map((part) => oracleOutcome(oracle, part)).flatMap((outcome) => ("error" in outcome ? [outcome.error] : []));
}

/** The outcome of a query by a Daybook; search pages of `pageLimit` are joined. */
export async function daybookOutcome(daybook: Daybook, query: Query, pageLimit: number): Promise<Outcome> {
  try {
    if (query.report === "searchEvents") return { answer: await allPages(daybook, query.input, pageLimit) };
    return { answer: await daybook[query.report](query.input as never) };
  } catch (error) {
    return errorOutcome(error);
  }
}

/** All events of a search, page by page. @throws when a page but the last is not full, or shows an event again */
export async function allPages(
  daybook: Daybook,
  input: Parameters<Daybook["searchEvents"]>[0],
  limit: number,
): Promise<EventRecord[]> {
  const events: EventRecord[] = [];
  const seen = new Set<string>();
  let cursor: string | null = null;
  do {
    const page: SearchEventsPage = await daybook.searchEvents({ ...input, limit, cursor });
    if (cursor !== null && page.events.length === 0) throw new Error("a page after the first is empty");
    // An id is unique within its project.
    const keys = page.events.map(({ id, project }) => `${id} ${project}`);
    if (keys.some((key) => seen.has(key))) throw new Error("an event is on two pages");
    for (const key of keys) seen.add(key);
    if (page.cursor !== null && page.events.length !== limit) throw new Error("a page before the last is not full");
    events.push(...page.events);
    cursor = page.cursor;
  } while (cursor !== null);
  return events;
}

/** The code of an error that a query may deserve. @throws any other error */
export function errorOutcome(error: unknown): Outcome {
  if (error instanceof DaybookError && error.code !== "internal" && error.code !== "corruption") return { error: error.code };
  throw error;
}
