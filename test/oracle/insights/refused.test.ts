import { expect, test } from "vitest";
import { ask, event } from "./made.js";

const asked = ask([event("2026-03-01T00:00Z")]);
const steps = [{ eventName: "a" }, { eventName: "b" }];
/** As what comes from programs that are not compiled. */
const any = (name: string) => name as never;

test.each<[string, () => unknown]>([
  ["an interval", () => asked.trend({ interval: any("decade"), startDate: "2026-03-01", endDate: "2026-03-02" })],
  ["a measure", () => asked.trend({ measure: { type: any("mode"), field: "x" } })],
  ["a first day of weeks", () => asked.trend({ weekStart: any("someday") })],
  ["a comparison", () => asked.trend({ compare: any("previous_moon"), startDate: "2026-03-01", endDate: "2026-03-02" })],
  ["a zone", () => asked.stickiness({ timeZone: "Mars/Olympus" })],
  ["an order", () => asked.funnel({ steps, order: any("loose") })],
  ["a level", () => asked.funnel({ steps, level: any("nobody") })],
  ["the session as level", () => asked.retention({ level: any("session") })],
  ["a cohort", () => asked.retention({ cohort: any("last_time") })],
  ["a return", () => asked.retention({ returned: any("before") })],
  ["an hour of lifecycle", () => asked.lifecycle({ interval: any("hour") })],
  ["a year as unit", () => asked.stickiness({ unit: any("year") })],
  ["a sequence", () => asked.trend({ asOf: 5 })],
])("What is not %s that the query knows is refused.", (_name, answer) => {
  expect(answer).toThrow();
});
