import { parameterError } from "../../../../src/core/base/errors.js";
import type { Bucket } from "../../../../src/query/plan/insights/answers.js";
import type { CalendarUnit, Interval } from "../../../../src/query/plan/input.js";
import type { Span } from "../instant.js";
import { unitAt, type Calendar } from "./calendar.js";

/** The years that dates may name, half-open. */
export const YEARS: Span = { fromMs: 0, toMs: Date.UTC(10_000, 0, 1) };

const MOST_BUCKETS = 10_000;

/** A bucket, and what it spans. */
export interface Slot extends Span {
  readonly bucket: Bucket;
}

/**
 * All buckets of a range; where a side of it is open, from or to that of the first or last of the `timesMs` at which something counts.
 * @throws invalid_parameter (too many)
 */
export function axisOf(calendar: Calendar, interval: Interval, range: Span, timesMs: readonly number[], nowMs: number): Slot[] {
  if (interval === "total") return [totalOf(range, nowMs)];
  const [leastMs, greatestMs] = [Math.min(...timesMs), Math.max(...timesMs)];
  const firstMs = range.fromMs === -Infinity ? leastMs : Math.max(range.fromMs, YEARS.fromMs);
  const lastMs = range.toMs === Infinity ? greatestMs : Math.min(range.toMs, YEARS.toMs) - 1;
  const slots: Slot[] = [];
  for (let ms = firstMs; ms <= lastMs; ) {
    const unit = unitAt(calendar, interval, ms);
    const fromMs = Math.max(unit.startMs, range.fromMs, YEARS.fromMs);
    const toMs = Math.min(unit.endMs, range.toMs, YEARS.toMs);
    const isCut = fromMs > unit.startMs || toMs < unit.endMs;
    const bucket = { start: isoOf(fromMs), end: isoOf(toMs - 1), local: unit.local, partial: isCut || toMs - 1 >= nowMs };
    slots.push({ fromMs, toMs, bucket });
    if (slots.length > MOST_BUCKETS) throw parameterError("invalid_parameter", "interval", `expected at most ${MOST_BUCKETS} buckets`);
    ms = unit.endMs;
  }
  return slots;
}

/** A range grown to the whole units that it touches; an open side stays open. */
export function widened(calendar: Calendar, unit: CalendarUnit, { fromMs, toMs }: Span): Span {
  return {
    fromMs: fromMs === -Infinity ? fromMs : unitAt(calendar, unit, fromMs).startMs,
    toMs: toMs === Infinity ? toMs : unitAt(calendar, unit, toMs - 1).endMs,
  };
}

export function isWithin(ms: number, { fromMs, toMs }: Span): boolean {
  return ms >= fromMs && ms < toMs;
}

function totalOf({ fromMs, toMs }: Span, nowMs: number): Slot {
  const start = fromMs === -Infinity ? null : isoOf(fromMs);
  const end = toMs === Infinity ? null : isoOf(toMs - 1);
  return { fromMs, toMs, bucket: { start, end, local: null, partial: toMs - 1 >= nowMs } };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
