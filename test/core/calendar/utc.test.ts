import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  vi.restoreAllMocks();
  vi.resetModules();
});

test("UTC needs no formatter, the first of which takes a process some 25 ms.", async () => {
  vi.resetModules();
  const { zoneOf } = await import("../../../src/core/calendar/zone.js");
  const formatter = vi.spyOn(Intl, "DateTimeFormat");
  expect(zoneOf("UTC")?.spansIn(0, 5)).toEqual([{ fromMs: 0, toMs: 5, offsetMs: 0 }]);
  expect(formatter).not.toHaveBeenCalled();
});
