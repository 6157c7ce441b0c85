import { expect } from "vitest";

/** `expect(given).toBe(expected)` for loops of thousands: an expectation takes microseconds, also where it holds. */
export function agree<T>(given: T, expected: T): void {
  if (!Object.is(given, expected)) expect(given).toBe(expected);
}
