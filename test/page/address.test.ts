import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addressOf, viewStateOf, INITIAL_CHOICES, type ViewState } from "../../src/page/state/view-state.js";
import { rangeOf, unitFor } from "../../src/page/state/period.js";
import { CHOICE_NAMES, picture } from "./random-picture.js";

const INITIAL_VIEW_STATE: ViewState = {
  view: "overview", project: "", period: "30d", compare: "previous", interval: "auto", zone: "", filters: [], choices: INITIAL_CHOICES,
};

describe("the address of a picture", () => {
  test("says all of it: what is read from it is the picture again", () => {
    fc.assert(
      fc.property(picture, (any) => void expect(viewStateOf(addressOf(any))).toEqual(any)),
      { numRuns: 500 },
    );
  });

  test("is tried with every choice of every view", () => {
    for (const [there, tried] of Object.values(CHOICE_NAMES)) expect(tried).toEqual(there);
  });

  test("is short for the first picture, and has no token whatever stands in it", () => {
    expect(addressOf(INITIAL_VIEW_STATE)).toBe("period=30d");
    expect(viewStateOf("token=sk_secret_0123456789abcdefgh&view=trends")).toEqual({ ...INITIAL_VIEW_STATE, view: "trends" });
    expect(addressOf(viewStateOf("token=sk_secret_0123456789abcdefgh"))).toBe("period=30d");
  });

  test.each([
    ["period=7D", { period: "7d" }],
    ["period= 30d ", { period: "30d" }],
    ["period=2026-03-31..2026-03-01", { period: { from: "2026-03-01", to: "2026-03-31" } }],
    ["period=2026-03-01,2026-03-31", { period: { from: "2026-03-01", to: "2026-03-31" } }],
    ["period=2026-03-01", { period: { from: "2026-03-01", to: "2026-03-01" } }],
    ["period=2026-02-30", { period: "30d" }],
    ["view=TRENDS", { view: "trends" }],
    ["view=nowhere", { view: "overview" }],
    ["zone=Mars/Olympus", { zone: "" }],
    ["zone=%2B01:00", { zone: "" }],
    ["interval=fortnight", { interval: "auto" }],
    ["filter=path~is~/a&filter=path~resembles~/b&filter=path~is~", { filters: [{ field: "path", operator: "is", value: "/a" }] }],
    ["filter=path~is_set", { filters: [{ field: "path", operator: "is_set", value: "" }] }],
  ])("is read as far as it can be: %s", (search, expected) => {
    expect(viewStateOf(search)).toEqual({ ...INITIAL_VIEW_STATE, ...expected });
  });

  test("keeps numbers in their range", () => {
    expect(viewStateOf("view=paths&paths.depth=99").choices.paths.depth).toBe(10);
    expect(viewStateOf("view=paths&paths.depth=many").choices.paths.depth).toBe(4);
  });
});

describe("a period", () => {
  test.each([
    ["today", "2026-03-10", "2026-03-10"],
    ["7d", "2026-03-04", "2026-03-10"],
    ["30d", "2026-02-09", "2026-03-10"],
    ["month", "2026-03-01", "2026-03-10"],
    ["year", "2026-01-01", "2026-03-10"],
    ["all", null, null],
  ] as const)("%s has days", (name, from, to) => {
    expect(rangeOf(name, "2026-03-10")).toEqual({ from, to });
  });

  test("has an interval of its length", () => {
    const units = ["2026-03-10", "2026-03-04", "2026-02-09", "2025-11-01", "2025-03-11", "2020-01-01", "1990-01-01"].map((from) =>
      unitFor({ from, to: "2026-03-10" }),
    );
    expect(units).toEqual(["hour", "day", "day", "week", "week", "month", "quarter"]);
  });
});
