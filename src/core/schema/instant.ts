import { parameterError, shown } from "../base/errors.js";
import { LIMITS } from "../base/limits.js";
import { isoOf, parseTimestamp } from "../base/time.js";

/** How to treat times more than five minutes in the future: replace them with the time of receipt, or keep them. */
export type FutureEvents = "adjust" | "keep";

/** Whether the option is `"keep"`; absent: `"adjust"`. @throws invalid_parameter */
export function isKeepingFuture(futureEvents: unknown): boolean {
  if (futureEvents === undefined || futureEvents === "adjust" || futureEvents === "keep") return futureEvents === "keep";
  throw parameterError("invalid_parameter", "futureEvents", `expected "adjust" or "keep", got ${shown(futureEvents)}`);
}

export interface ReceiptContext {
  /** Time of receipt, epoch ms. */
  readonly nowMs: number;
  /** Whether times more than five minutes ahead of `nowMs` stay as they are. */
  readonly keepsFuture: boolean;
}

/** Converts RFC 3339 text, a number of ms from 1973 on, or a `Date` to epoch ms. Null for anything else. */
export function instantOf(value: unknown): number | null {
  if (typeof value === "string") return parseTimestamp(value);
  if (typeof value === "number") return value >= LIMITS.instantNumberMinMs && value < LIMITS.instantMaxMs ? Math.floor(value) : null;
  return value instanceof Date && isInstant(value.getTime()) ? value.getTime() : null;
}

/** Whether epoch ms lie in the years 1970 to 9999. */
export function isInstant(ms: number): boolean {
  return ms >= 0 && ms < LIMITS.instantMaxMs;
}

export function storedMsOf(ms: number, { nowMs, keepsFuture }: ReceiptContext): number {
  return !keepsFuture && ms > nowMs + LIMITS.futureSkewMs ? nowMs : ms;
}

export function instantFault(value: unknown): string {
  return `${expectedInstant(value)}, got ${shown(value)}`;
}

/** The same error text without the value itself. */
export function expectedInstant(value: unknown): string {
  if (!isBeforeNumericMin(value)) return "expected an RFC 3339 timestamp with a zone, or epoch ms, of the years 1970 to 9999";
  const ms = Math.floor(value * 1_000);
  const meant = ms < LIMITS.instantNumberMinMs ? "" : `for ${isoOf(ms)} send ${ms}, `;
  return `expected epoch milliseconds, these look like seconds (${meant}for a time before 1973 send RFC 3339 text)`;
}

/** Turns epoch ms before 1973 into ISO text, because `instantOf` rejects such numbers; returns any other value unchanged. */
export function createdAtOf<T>(ms: T): T | string {
  return isBeforeNumericMin(ms) ? isoOf(Math.floor(ms)) : ms;
}

/** Whether a value is a number that, as epoch ms, lies before 1973. */
export function isBeforeNumericMin(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < LIMITS.instantNumberMinMs;
}
