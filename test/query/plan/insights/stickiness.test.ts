import { expect, test } from "vitest";
import { planned, refusal, refuses } from "./planned.js";

const INTERVALS = ["week", "month", "quarter", "year", "total"];
const UNITS = ["hour", "day", "week", "month"];

test("days of identities in the whole range, if nothing else is said", () => {
  expect(planned("stickiness")).toMatchObject({ interval: "total", unit: "day", level: "identity" });
});

test("units are shorter than the interval", () => {
  const allowed = INTERVALS.map((interval) => UNITS.filter((unit) => refusal("stickiness", { interval, unit }) === null));
  expect(allowed).toEqual([["hour", "day"], ["hour", "day", "week"], UNITS, UNITS, UNITS]);
  expect(refusal("stickiness", { interval: "week", unit: "month" })).toEqual(["invalid_parameter", "unit"]);
});

refuses("stickiness", [
  ["days of hours", { interval: "day", unit: "hour" }, "invalid_parameter", "interval"],
  ["quarters of a year", { interval: "year", unit: "quarter" }, "invalid_parameter", "unit"],
  ["minutes", { unit: "minute" }, "invalid_parameter", "unit"],
  ["sessions as level", { level: "session" }, "invalid_parameter", "level"],
  ["a limit", { limit: 5 }, "unknown_parameter", "limit"],
]);
