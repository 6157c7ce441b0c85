import { afterAll, beforeAll } from "vitest";
import { LIMITS } from "../src/base/limits.js";

/** Other limits for the tests of a file. Modules look limits up when they need them, so that those loaded before go by these too. */
export function useLimits(others: Partial<Record<keyof typeof LIMITS, number>>): void {
  const usual = { ...LIMITS };
  beforeAll(() => void Object.assign(LIMITS, others));
  afterAll(() => void Object.assign(LIMITS, usual));
}
