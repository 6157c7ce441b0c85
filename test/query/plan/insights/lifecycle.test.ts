import { expect, test } from "vitest";
import { planned, refuses } from "./planned.js";

test("identities by day, if nothing else is said", () => {
  expect(planned("lifecycle")).toMatchObject({ interval: "day", level: "identity" });
  expect(planned("lifecycle", { interval: "week", level: "account" })).toMatchObject({ interval: "week", level: "account" });
});

refuses("lifecycle", [
  ["hours", { interval: "hour" }, "invalid_parameter", "interval"],
  ["quarters", { interval: "quarter" }, "invalid_parameter", "interval"],
  ["sessions as level", { level: "session" }, "invalid_parameter", "level"],
  ["a breakdown", { breakdown: { fields: ["os"] } }, "unknown_parameter", "breakdown"],
]);
