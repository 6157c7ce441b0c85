import { rangeOf, type DatesInput } from "./dates.js";
import type { OracleEvent } from "./event.js";
import { DAY_MS, type Span } from "./instant.js";

/** The window of two dates; absent ones are 30 days before now, and now. @throws invalid_date, invalid_date_range */
export function windowOf(input: DatesInput, nowMs: number): Span {
  const { fromMs, toMs } = rangeOf(input);
  return {
    fromMs: fromMs === -Infinity ? nowMs - 30 * DAY_MS : fromMs,
    toMs: toMs === Infinity ? nowMs + 1 : toMs,
  };
}

/** The last days before now, 30 by default; both ends inclusive. */
export function windowOfDays(dayCount: number | null | undefined, nowMs: number): Span {
  return { fromMs: nowMs - (dayCount ?? 30) * DAY_MS, toMs: nowMs + 1 };
}

/** The events in a window. */
export function within(events: readonly OracleEvent[], { fromMs, toMs }: Span): OracleEvent[] {
  return events.filter(({ createdAtMs }) => createdAtMs >= fromMs && createdAtMs < toMs);
}
