import type { DaybookError } from "../base/errors.js";
import type { Connection } from "./options.js";

/**
 * When a request may be sent again. `always`: doing it twice is doing it once. `undone`: only where the server said that it
 * did nothing.
 */
export type Again = "always" | "undone";

/** Statuses of what passes. */
const PASSING: readonly unknown[] = [429, 500, 502, 503, 504];
/** What does not pass: the same question takes as long again, and damaged files stay so. */
const LASTING: readonly string[] = ["query_timeout", "corruption", "manifest_missing"];
/** Said before anything was done. */
const UNDONE: readonly string[] = ["rate_limited", "overloaded"];

/** Whether a request that failed so may be sent again. */
export function mayPass({ code, details }: DaybookError, again: Again): boolean {
  if (again === "undone") return UNDONE.includes(code);
  const status = details["status"];
  // Without a status nothing was answered.
  return (status === undefined ? code === "unreachable" : PASSING.includes(status)) && !LASTING.includes(code);
}

/** Ms until the next try: random, under a bound that doubles with each try, and no less than the server asks for. @param tries before it */
export function pauseMs({ baseMs, maxMs }: Connection, tries: number, random: number, retryAfterMs: number): number {
  return Math.max(retryAfterMs, random * Math.min(maxMs, baseMs * 2 ** (tries - 1)));
}

/** Ms of a `Retry-After` header, which holds seconds or a date; 0 where it says nothing. */
export function retryAfterMs(header: string | null, nowMs: number): number {
  if (header === null) return 0;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1_000;
  const ms = Date.parse(header);
  return Number.isNaN(ms) ? 0 : Math.max(0, ms - nowMs);
}
