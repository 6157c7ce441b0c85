import { expect, test } from "vitest";
import { planQuery } from "../../src/engine/queries.js";
import type { ReportName } from "../../src/query/queries.js";
import { groups, is } from "../query/plan/insights/planned.js";
import { ruled } from "../query/plan/ruled-context.js";

const settled = (report: ReportName, input: object) => planQuery(report, input, ruled, () => []);
const regex = (...patterns: string[]) => groups([], patterns.map((pattern) => is("url", pattern, "regex")));
const steps = [{ eventName: "a" }, { eventName: "b" }];

test.each<[ReportName, object, string]>([
  ["countEvents", { filterGroups: regex("a", "(") }, "filterGroups[1].filters[1].value"],
  ["countEvents", { segments: { s: { groups: [{ conditions: [{ type: "did", filterGroups: regex("(") }] }] } } }, "segments.s.groups[0].conditions[0].filterGroups[1].filters[0].value"],
  ["trend", { segments: { s: { groups: [{ conditions: [{ type: "trait", field: "x", operator: "not_regex", value: "(" }] }] } } }, "segments.s.groups[0].conditions[0].value"],
  ["funnel", { steps: [...steps, { filterGroups: regex("(") }] }, "steps[2].filterGroups[1].filters[0].value"],
  ["funnel", { steps, exclusions: [{ filterGroups: regex("(") }] }, "exclusions[0].filterGroups[1].filters[0].value"],
  ["retention", { cohortEvent: { filterGroups: regex("a") }, returnEvent: { filterGroups: regex("a", "(") } }, "returnEvent.filterGroups[1].filters[1].value"],
  ["paths", { rules: [{ pattern: "a", label: "x" }, { pattern: "(", label: "y" }] }, "rules[1].pattern"],
])("%s is refused where a regular expression is none, wherever it stands", async (report, input, param) => {
  await expect(settled(report, input)).rejects.toMatchObject({ code: "invalid_regex", details: { param } });
});

test("the first of several is told", async () => {
  await expect(settled("countEvents", { filterGroups: regex("a", "(", "[") })).rejects.toMatchObject({ details: { param: "filterGroups[1].filters[1].value" } });
});

test("regular expressions that are one are no part of a plan beside filters", async () => {
  expect(await settled("countEvents", { filterGroups: regex("a", "a") })).not.toHaveProperty("patterns");
});
