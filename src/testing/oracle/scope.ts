import { parameterError } from "../../base/errors.js";
import type { CountEventsInput, DateInput } from "../../plan/input.js";
import type { OracleEvent } from "./event.js";
import type { Derived } from "./field.js";
import { filterGroups } from "./filter.js";
import { spanOf, type Span } from "./instant.js";

/** The events that a question is about. @throws every code that a bad date or filter deserves */
export function scopedEvents(
  events: readonly OracleEvent[],
  derived: Derived,
  input: CountEventsInput,
): OracleEvent[] {
  const { fromMs, toMs } = rangeOf(input);
  const passes = filterGroups(input.filterGroups, derived);
  const { identities } = derived;
  const userId = input.userId ?? null;
  const identity = userId === null ? null : identities.find(userId);
  return events
    .filter((event) => (input.project ?? event.record.project) === event.record.project)
    .filter((event) => (input.eventName ?? event.record.name) === event.record.name)
    .filter((event) => userId === null || (identity !== null && identities.of(event) === identity))
    .filter((event) => event.createdAtMs >= fromMs && event.createdAtMs < toMs)
    .filter(passes);
}

/** The half-open range of a question; infinite where a date is absent. @throws invalid_date, invalid_date_range */
export function rangeOf(input: Pick<CountEventsInput, "startDate" | "endDate">): Span {
  const start = dateSpan("startDate", input.startDate ?? null);
  const end = dateSpan("endDate", input.endDate ?? null);
  if (start !== null && end !== null && start.fromMs >= end.toMs) {
    throw parameterError("invalid_date_range", "startDate", "expected a start that is not after the end");
  }
  return { fromMs: start?.fromMs ?? -Infinity, toMs: end?.toMs ?? Infinity };
}

function dateSpan(param: string, date: DateInput | null): Span | null {
  if (date === null) return null;
  const span = spanOf(date instanceof Date ? date.toISOString() : date);
  if (span === null) throw parameterError("invalid_date", param, "expected a date or a timestamp with a zone");
  return span;
}
