import type { DaybookError } from "./errors.js";
import { keepingTimer, type Wait } from "./time.js";

/** The clock, timer and random numbers of retries. */
export interface RetryEnvironment {
  /** Epoch milliseconds. */
  nowMs(): number;
  /** From 0 to 1. */
  random(): number;
  readonly sleep: Wait;
}

/** Its timers keep the process alive. */
export const systemEnvironment: RetryEnvironment = {
  nowMs: () => Date.now(),
  random: () => Math.random(),
  sleep: keepingTimer,
};

/** Bounds of the random delays between attempts, in ms. */
export interface RetryDelays {
  /** The longest delay before the second attempt; it doubles each time. */
  readonly baseMs: number;
  /** The longest delay, unless `retryAfterMs` is longer. */
  readonly maxMs: number;
}

/** Exponential backoff with full jitter, in ms; at least what the server requests. @param attempts made so far @param random from 0 to 1 */
export function backoffMs({ baseMs, maxMs }: RetryDelays, attempts: number, random: number, retryAfterMs: number): number {
  return Math.max(retryAfterMs, random * Math.min(maxMs, baseMs * 2 ** (attempts - 1)));
}

/** The delay that the server requested with an error, in ms; 0 for none. */
export function requestedDelayMs({ details }: DaybookError): number {
  const { retryAfterMs } = details;
  return typeof retryAfterMs === "number" ? retryAfterMs : 0;
}
