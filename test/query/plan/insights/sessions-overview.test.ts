import { expect, test } from "vitest";
import { field, planned, refuses } from "./planned.js";
import { ruled } from "../ruled-context.js";

test("the whole range and ten pages, if nothing else is said", () => {
  const { interval, breakdown, limit, session, pageviewSlugs } = planned("sessionsOverview");
  expect({ interval, breakdown, limit, session, pageviewSlugs }).toEqual({
    interval: "total", breakdown: null, limit: 10, session: ruled.rules.session, pageviewSlugs: ruled.rules.pageviewSlugs,
  });
});

test("every member is settled as it is given", () => {
  const { interval, breakdown, limit } = planned("sessionsOverview", { interval: "minute", breakdown: { fields: ["os", "browser"], limit: 1, rest: true }, limit: 1_000 });
  expect({ interval, breakdown, limit }).toEqual({ interval: "minute", breakdown: { fields: [field("os"), field("browser")], limit: 1, rest: true }, limit: 1_000 });
});

refuses("sessionsOverview", [
  ["an interval that is none", { interval: "session" }, "invalid_parameter", "interval"],
  ["a limit of 0", { limit: 0 }, "invalid_parameter", "limit"],
  ["a limit of 1,001", { limit: 1_001 }, "invalid_parameter", "limit"],
  ["a breakdown without fields", { breakdown: { limit: 5 } }, "invalid_parameter", "breakdown.fields"],
  ["a comparison", { compare: "previous_year" }, "unknown_parameter", "compare"],
  ["a level", { level: "session" }, "unknown_parameter", "level"],
]);
