import { parameterError, shown } from "../base/errors.js";
import { LIMITS } from "../base/limits.js";
import { isoOf, parseTimestamp } from "../base/time.js";

/** What becomes of times more than five minutes ahead of the clock: they become the time of receipt, or stay. */
export type FutureEvents = "adjust" | "keep";

/** Whether the option says so. Absent: no. @throws invalid_parameter */
export function isKeepingFuture(futureEvents: unknown): boolean {
  if (futureEvents === undefined || futureEvents === "adjust" || futureEvents === "keep") return futureEvents === "keep";
  throw parameterError("invalid_parameter", "futureEvents", `expected "adjust" or "keep", got ${shown(futureEvents)}`);
}

/** When something is received, and what times may be. */
export interface ReceiptContext {
  /** Receive time, epoch ms. */
  readonly nowMs: number;
  /** Whether times more than five minutes ahead of it stay as they are. */
  readonly keepsFuture: boolean;
}

/** When something happened, epoch ms: RFC 3339 text, a number of ms from 1973 on, or a `Date`. Null for anything else. */
export function instantOf(value: unknown): number | null {
  if (typeof value === "string") return parseTimestamp(value);
  if (typeof value === "number") return value >= LIMITS.instantNumberMinMs && value < LIMITS.instantMaxMs ? Math.floor(value) : null;
  return value instanceof Date && isInstant(value.getTime()) ? value.getTime() : null;
}

/** Whether epoch ms are of the years 1970 to 9999. */
export function isInstant(ms: number): boolean {
  return ms >= 0 && ms < LIMITS.instantMaxMs;
}

/** The time that something of an instant is stored at. */
export function storedMsOf(ms: number, { nowMs, keepsFuture }: ReceiptContext): number {
  return !keepsFuture && ms > nowMs + LIMITS.futureSkewMs ? nowMs : ms;
}

/** What is wrong with a value of which `instantOf` makes nothing. */
export function momentFault(value: unknown): string {
  return `${expectedMoment(value)}, got ${shown(value)}`;
}

/** What was expected instead of such a value, which is not shown where it is text. */
export function expectedMoment(value: unknown): string {
  if (!isBelowNumbers(value)) return "expected an RFC 3339 timestamp with a zone, or epoch ms, of the years 1970 to 9999";
  const ms = Math.floor(value * 1_000);
  const meant = ms < LIMITS.instantNumberMinMs ? "" : `for ${isoOf(ms)} send ${ms}, `;
  return `expected epoch milliseconds, these look like seconds (${meant}for a time before 1973 send RFC 3339 text)`;
}

/** A value known to be epoch ms, where it is a number, as a `createdAt` that says so: `instantOf` takes no number before 1973. */
export function createdAtOf<T>(ms: T): T | string {
  return isBelowNumbers(ms) ? isoOf(Math.floor(ms)) : ms;
}

/** Whether a value is a number of the years before 1973, if it is ms. */
export function isBelowNumbers(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < LIMITS.instantNumberMinMs;
}
