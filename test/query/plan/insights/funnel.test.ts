import { expect, test } from "vitest";
import { LIMITS } from "../../../../src/core/base/limits.js";
import { equals, field, groups, is, planned, refuses } from "./planned.js";
import { ruled } from "../ruled-context.js";

const event = (eventName: string) => ({ project: null, eventName, userId: null, range: { fromMs: 0, toMs: LIMITS.instantMaxMs }, where: [] });
const steps = (count: number) => Array.from({ length: count }, () => ({ eventName: "a" }));

test("steps of identities come in order, within 14 days, if nothing else is said", () => {
  const { steps: planSteps, order, windowMs, exclusions, level, breakdown, interval, session, pageviewSlugs } = planned("funnel");
  expect({ order, windowMs, exclusions, level, breakdown, interval }).toEqual({
    order: "sequential", windowMs: 14 * 86_400_000, exclusions: [], level: "identity", breakdown: null, interval: null,
  });
  expect(planSteps).toEqual([{ scope: event("a"), name: "a" }, { scope: event("b"), name: "b" }]);
  expect({ session, pageviewSlugs }).toEqual({ session: ruled.rules.session, pageviewSlugs: ruled.rules.pageviewSlugs });
});

test("a step is called as it is said, else as its event, else by its number", () => {
  const filterGroups = groups([is("os", "x")]);
  const asked = [{ eventName: "a", name: "First" }, { filterGroups, eventName: "b" }, { filterGroups }, { filterGroups, name: "x".repeat(200) }];
  expect(planned("funnel", { steps: asked }).steps.map(({ name }) => name)).toEqual(["First", "b", "step 3", "x".repeat(200)]);
  expect(planned("funnel", { eventName: "a", steps: asked }).steps[2]?.name).toBe("step 3");
  expect(planned("funnel", { steps: asked, order: "any" }).steps.map(({ name }) => name)).toEqual(["1 steps", "2 steps", "3 steps", "4 steps"]);
});

test("200 characters are code points", () => {
  expect(planned("funnel", { steps: [{ eventName: "a", name: "😀".repeat(200) }, { eventName: "b" }] }).steps[0]?.name).toBe("😀".repeat(200));
});

test("a step's events match the query too", () => {
  const { steps: [first] } = planned("funnel", { project: "shop", filterGroups: groups([is("os", "x")]), steps: [{ filterGroups: groups([is("device", "y")]) }, { eventName: "b" }] });
  expect(first?.scope).toMatchObject({ project: "shop", eventName: null, where: [[equals(field("os"), "x"), equals(field("device"), "y")]] });
});

test("an exclusion reaches from the first to the last step, if nothing else is said", () => {
  const exclusions = [{ eventName: "x" }, { eventName: "x", afterStep: 2 }, { eventName: "x", beforeStep: 2 }, { eventName: "x", afterStep: 3, beforeStep: 4 }];
  const between = planned("funnel", { steps: steps(4), exclusions }).exclusions.map(({ afterStep, beforeStep }) => [afterStep, beforeStep]);
  expect(between).toEqual([[1, 4], [2, 4], [1, 2], [3, 4]]);
  expect(planned("funnel", { exclusions: [{ eventName: "x" }] }).exclusions[0]?.scope).toEqual(event("x"));
  expect(planned("funnel", { order: "any", steps: steps(3), exclusions: [{ eventName: "x", afterStep: 1, beforeStep: 3 }] }).exclusions).toHaveLength(1);
});

test("a breakdown is by the first event of the chain, if nothing else is said", () => {
  expect(planned("funnel", { breakdown: { fields: ["os"] } }).breakdown).toEqual({ fields: [field("os")], limit: 25, rest: false, at: "entry" });
  expect(planned("funnel", { breakdown: { fields: ["os"], at: "last", rest: true } }).breakdown).toMatchObject({ at: "last", rest: true });
});

test.each([["level", "session"], ["level", "account"], ["order", "strict"], ["order", "any"], ["interval", "minute"], ["interval", "year"]])("%s may be %s", (name, value) => {
  expect(planned("funnel", { [name]: value })).toMatchObject({ [name]: value });
});

test("as many steps and exclusions, and as long a window, as the bounds allow are settled", () => {
  expect(planned("funnel", { steps: steps(20), exclusions: steps(10), conversionWindowSec: 31_622_400 })).toMatchObject({ windowMs: 31_622_400_000 });
  expect(planned("funnel", { conversionWindowSec: 1 }).windowMs).toBe(1_000);
});

refuses("funnel", [
  ["no steps", { steps: null }, "invalid_parameter", "steps"],
  ["steps that are an object", { steps: {} }, "invalid_parameter", "steps"],
  ["one step", { steps: steps(1) }, "invalid_parameter", "steps"],
  ["21 steps", { steps: steps(21) }, "invalid_parameter", "steps"],
  ["a step that is text", { steps: ["a", "b"] }, "invalid_parameter", "steps[0]"],
  ["a hole among the steps", { steps: [{ eventName: "a" }, , { eventName: "b" }] }, "invalid_parameter", "steps[1]"], // eslint-disable-line no-sparse-arrays
  ["a step of any event", { steps: [{ eventName: "a" }, { name: "b" }] }, "invalid_parameter", "steps[1]"],
  ["a step whose groups have no filter", { steps: [{ filterGroups: groups([], []) }, { eventName: "a" }] }, "invalid_parameter", "steps[0]"],
  ["a step with an unknown member", { steps: [{ eventName: "a" }, { eventName: "b", afterStep: 1 }] }, "unknown_parameter", "steps[1].afterStep"],
  ["an empty name of a step", { steps: [{ eventName: "a", name: "" }, { eventName: "b" }] }, "invalid_parameter", "steps[0].name"],
  ["a name of 201 characters", { steps: [{ eventName: "a", name: "😀".repeat(201) }, { eventName: "b" }] }, "invalid_parameter", "steps[0].name"],
  ["a name that is wrong, though it is not shown", { order: "any", steps: [{ eventName: "a", name: 5 }, { eventName: "b" }] }, "invalid_parameter", "steps[0].name"],
  ["a filter of a step", { steps: [{ eventName: "a" }, { filterGroups: groups([is("os", "x", "like")]) }] }, "invalid_operator", "steps[1].filterGroups[0].filters[0].operator"],
  ["a value of a filter of an exclusion", { exclusions: [{ filterGroups: groups([is("os", "x", ">")]) }] }, "invalid_filter_value", "exclusions[0].filterGroups[0].filters[0].value"],
  ["an order that is none", { order: "loose" }, "invalid_parameter", "order"],
  ["no window", { conversionWindowSec: 0 }, "invalid_parameter", "conversionWindowSec"],
  ["a window of more than 366 days", { conversionWindowSec: 31_622_401 }, "invalid_parameter", "conversionWindowSec"],
  ["half a second", { conversionWindowSec: 0.5 }, "invalid_parameter", "conversionWindowSec"],
  ["11 exclusions", { exclusions: steps(11) }, "invalid_parameter", "exclusions"],
  ["exclusions that are text", { exclusions: "x" }, "invalid_parameter", "exclusions"],
  ["an exclusion of any event", { exclusions: [{}] }, "invalid_parameter", "exclusions[0]"],
  ["an exclusion with a name", { exclusions: [{ eventName: "x", name: "x" }] }, "unknown_parameter", "exclusions[0].name"],
  ["an exclusion after the last step", { exclusions: [{ eventName: "x", afterStep: 2 }] }, "invalid_parameter", "exclusions[0].afterStep"],
  ["an exclusion after no step", { exclusions: [{ eventName: "x", afterStep: 0 }] }, "invalid_parameter", "exclusions[0].afterStep"],
  ["an exclusion before the step that it comes after", { steps: steps(3), exclusions: [{ eventName: "x", afterStep: 2, beforeStep: 2 }] }, "invalid_parameter", "exclusions[0].beforeStep"],
  ["an exclusion before a step that is none", { exclusions: [{ eventName: "x", beforeStep: 3 }] }, "invalid_parameter", "exclusions[0].beforeStep"],
  ["an exclusion between steps without order", { order: "any", steps: steps(3), exclusions: [{ eventName: "x", afterStep: 2 }] }, "invalid_parameter", "exclusions[0].afterStep"],
  ["an exclusion before a step without order", { order: "any", steps: steps(3), exclusions: [{ eventName: "x", beforeStep: 2 }] }, "invalid_parameter", "exclusions[0].beforeStep"],
  ["a level that is none", { level: "user" }, "invalid_parameter", "level"],
  ["the whole range as interval", { interval: "total" }, "invalid_parameter", "interval"],
  ["an interval beside a breakdown", { interval: "day", breakdown: { fields: ["os"] } }, "invalid_parameter", "interval"],
  ["a breakdown at no event", { breakdown: { fields: ["os"], at: "first" } }, "invalid_parameter", "breakdown.at"],
  ["a measure", { measure: { type: "events" } }, "unknown_parameter", "measure"],
]);

