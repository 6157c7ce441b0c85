import { afterAll, beforeAll } from "vitest";
import { LIMITS } from "../src/core/base/limits.js";
import { SERVER_LIMITS } from "../src/core/base/server-limits.js";

/** Other limits for the tests of a file. Modules look limits up when they need them, so that those loaded before go by these too. */
export function useLimits(others: Partial<Record<keyof typeof LIMITS, number>>): void {
  use(LIMITS, others);
}

/** The same of servers. */
export function useServerLimits(others: Partial<Record<keyof typeof SERVER_LIMITS, number>>): void {
  use(SERVER_LIMITS, others);
}

function use(limits: object, others: object): void {
  const usual = { ...limits };
  beforeAll(() => void Object.assign(limits, others));
  afterAll(() => void Object.assign(limits, usual));
}
