import { describe, expect, it } from "vitest";
import { slotsOf, widened, type AxisScope } from "../../../../src/query/answer/insights/buckets.js";
import type { Interval } from "../../../../src/query/plan/input.js";

const NOW_MS = Date.UTC(2026, 9, 26);

function scope(timeZone: string, fromMs: number, toMs: number): AxisScope {
  return { calendar: { timeZone, weekStart: 0 }, isOpen: { start: false, end: false }, range: { fromMs, toMs }, nowMs: NOW_MS };
}

const spans = (axis: AxisScope, interval: Interval) => slotsOf(axis, interval, null).map(({ bucket }) => [bucket.local, bucket.start, bucket.end, bucket.partial]);

describe("buckets of time", () => {
  it("have 25 hours where clocks are put back, and their first and last millisecond can be handed back as dates", () => {
    expect(spans(scope("Europe/Berlin", Date.UTC(2026, 9, 24, 22), Date.UTC(2026, 9, 25, 23)), "day")).toEqual([
      ["2026-10-25", "2026-10-24T22:00:00.000Z", "2026-10-25T22:59:59.999Z", false],
    ]);
  });

  it("are partial where the range cuts them, or where they are not over", () => {
    const axis = scope("UTC", Date.UTC(2026, 9, 25, 12), Date.UTC(2026, 9, 26, 12));
    expect(spans(axis, "day").map(([local, , , partial]) => [local, partial])).toEqual([["2026-10-25", true], ["2026-10-26", true]]);
    expect(spans(widened(axis, "day"), "day").map(([, start, , partial]) => [start, partial])).toEqual([
      ["2026-10-25T00:00:00.000Z", false],
      ["2026-10-26T00:00:00.000Z", true],
    ]);
  });

  it("reach on an open side to what counts, and are none where nothing does", () => {
    const open: AxisScope = { ...scope("UTC", 0, Date.UTC(2026, 0, 5)), isOpen: { start: true, end: false } };
    expect(slotsOf(open, "day", null)).toEqual([]);
    const day = Date.UTC(2026, 0, 3, 7);
    expect(slotsOf(open, "day", { firstMs: day, lastMs: day }).map(({ bucket }) => bucket.local)).toEqual(["2026-01-03", "2026-01-04"]);
  });

  it("are one for the whole range, with an open side that has no date", () => {
    const open: AxisScope = { ...scope("UTC", Date.UTC(2026, 0, 1), 253_402_300_800_000), isOpen: { start: false, end: true } };
    expect(slotsOf(open, "total", null).map(({ bucket }) => bucket)).toEqual([{ start: "2026-01-01T00:00:00.000Z", end: null, local: null, partial: true }]);
  });

  it("are at most ten thousand", () => {
    const years = scope("UTC", 0, Date.UTC(2026, 0, 1));
    expect(() => slotsOf(years, "hour", null)).toThrow("interval: expected at most 10000 buckets");
    expect(slotsOf(years, "quarter", null)).toHaveLength(224);
  });
});
