import { parameterError } from "../../../src/core/base/errors.js";
import type { DateInput } from "../../../src/query/plan/input.js";
import { spanOf, type Span } from "./instant.js";

/** The dates of a query. */
export interface DatesInput {
  readonly startDate?: DateInput | null | undefined;
  readonly endDate?: DateInput | null | undefined;
}

/** The half-open range of a query; infinite where a date is absent. @throws invalid_date, invalid_date_range */
export function rangeOf(input: DatesInput): Span {
  return rangeBetween(input, (text) => spanOf(text));
}

/** The range of two dates, each of which spans what `span` says of its text. @throws invalid_date, invalid_date_range */
export function rangeBetween({ startDate, endDate }: DatesInput, span: (text: string) => Span | null): Span {
  const start = dateSpan("startDate", startDate ?? null, span);
  const end = dateSpan("endDate", endDate ?? null, span);
  if (start !== null && end !== null && start.fromMs >= end.toMs) {
    throw parameterError("invalid_date_range", "startDate", "expected a start that is not after the end");
  }
  return { fromMs: start?.fromMs ?? -Infinity, toMs: end?.toMs ?? Infinity };
}

function dateSpan(param: string, date: DateInput | null, span: (text: string) => Span | null): Span | null {
  if (date === null) return null;
  const spanned = span(date instanceof Date ? date.toISOString() : date);
  if (spanned === null) throw parameterError("invalid_date", param, "expected a date or a timestamp with a zone");
  return spanned;
}
