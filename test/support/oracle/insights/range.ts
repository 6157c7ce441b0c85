import { rangeBetween, type DatesInput } from "../dates.js";
import { DAY_MS, spanOf, type Span } from "../instant.js";
import { YEARS } from "./buckets.js";
import { firstInstant } from "./zone.js";

/** The range of two dates, of which one without a time is that day of the zone. @throws invalid_date, invalid_date_range */
export function zonedRange(input: DatesInput, timeZone: string): Span {
  return rangeBetween(input, (text) => {
    const span = spanOf(text);
    if (span === null || text.includes("T") || text.includes("t")) return span;
    const [fromMs, toMs] = [firstInstant(timeZone, span.fromMs), firstInstant(timeZone, span.fromMs + DAY_MS)];
    return { fromMs: Math.max(fromMs, YEARS.fromMs), toMs: Math.min(toMs, YEARS.toMs) };
  });
}
