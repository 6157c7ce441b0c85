import { expect, test } from "vitest";
import { planned, refuses } from "./planned.js";
import { ruled } from "../ruled-context.js";

test("lists of ten, no chart and nothing to compare with, if nothing else is said", () => {
  const { limit, interval, previous, session, pageviewSlugs, touch } = planned("webOverview");
  const { rules } = ruled;
  expect({ limit, interval, previous, session, pageviewSlugs, touch }).toEqual({
    limit: 10, interval: null, previous: null, session: rules.session, pageviewSlugs: rules.pageviewSlugs, touch: rules.touch,
  });
});

test("without a chart days are compared with, else the units of the chart", () => {
  const march = { startDate: "2026-03-01", endDate: "2026-03-31", compare: "previous_period" };
  expect(planned("webOverview", march).previous).toEqual({ fromMs: Date.UTC(2026, 0, 29), toMs: Date.UTC(2026, 2, 1) });
  expect(planned("webOverview", { ...march, interval: "month" }).previous).toEqual({ fromMs: Date.UTC(2026, 1, 1), toMs: Date.UTC(2026, 2, 1) });
});

refuses("webOverview", [
  ["the whole range as interval", { interval: "total" }, "invalid_parameter", "interval"],
  ["a limit of 0", { limit: 0 }, "invalid_parameter", "limit"],
  ["a limit of 1,001", { limit: 1_001 }, "invalid_parameter", "limit"],
  ["a comparison that is none", { startDate: "2026-03-01", endDate: "2026-03-02", compare: "yesterday" }, "invalid_parameter", "compare"],
  ["a comparison without dates", { compare: "previous_period" }, "invalid_parameter", "compare"],
  ["a breakdown", { breakdown: { fields: ["os"] } }, "unknown_parameter", "breakdown"],
]);
