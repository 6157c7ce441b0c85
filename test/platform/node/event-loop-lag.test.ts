import { describe, expect, it } from "vitest";
import { SERVER_LIMITS } from "../../../src/core/base/server-limits.js";
import { eventLoopLag, AverageDelay } from "../../../src/platform/node/event-loop-lag.js";

const averageOf = (...lateMs: readonly number[]) => {
  const average = new AverageDelay();
  for (const late of lateMs) average.add(late);
  return average.averageMs;
};
const times = (count: number, lateMs: number) => Array.from({ length: count }, () => lateMs);

describe("the lateness of the event loop", () => {
  it("is no overload for one task, however long, but for two long ones in a row", () => {
    expect(averageOf(60_000)).toBeLessThan(SERVER_LIMITS.eventLoopLagMs);
    expect(averageOf(60_000, 60_000)).toBeGreaterThan(SERVER_LIMITS.eventLoopLagMs);
  });

  it("is overload where it stays above the bound, and never where it stays below", () => {
    expect(averageOf(...times(20, SERVER_LIMITS.eventLoopLagMs + 5))).toBeGreaterThan(SERVER_LIMITS.eventLoopLagMs);
    expect(averageOf(...times(1_000, SERVER_LIMITS.eventLoopLagMs - 1))).toBeLessThan(SERVER_LIMITS.eventLoopLagMs);
  });

  it("is over a tenth of a second after the work is done", () => {
    expect(averageOf(...times(100, 1_000), ...times(10, 0))).toBeLessThan(SERVER_LIMITS.eventLoopLagMs);
    expect(averageOf(-5)).toBe(0);
  });

  it("is measured while the thread is busy", async () => {
    const lag = eventLoopLag();
    for (let round = 0; round < 4; round += 1) {
      const untilMs = performance.now() + 100;
      while (performance.now() < untilMs);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(lag.lagMs()).toBeGreaterThan(20);
    lag.stop();
  });
});
