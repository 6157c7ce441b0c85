import { expect, test } from "vitest";
import { planned, refuses } from "./planned.js";
import { ruled } from "../ruled-context.js";

const rule = { pattern: "^/blog/", label: "blog" };

test("five pages, equal ones in a row as one, if nothing else is said", () => {
  const { node, rules, startAt, endAt, collapse, maxDepth, limit, session, pageviewSlugs } = planned("paths");
  expect({ node, rules, startAt, endAt, collapse, maxDepth, limit }).toEqual({
    node: { kind: "path" }, rules: [], startAt: null, endAt: null, collapse: true, maxDepth: 5, limit: 50,
  });
  expect({ session, pageviewSlugs }).toEqual({ session: ruled.rules.session, pageviewSlugs: ruled.rules.pageviewSlugs });
});

test("every member is settled as it is given", () => {
  const given = { rules: [rule, { pattern: "(?i)x", label: "/" }], startAt: "/", endAt: "/thanks", collapse: false, maxDepth: 20, limit: 1_000 };
  expect(planned("paths", { ...given, node: "metadata.screen.name" })).toMatchObject({ ...given, node: { kind: "metadataPath", path: "screen.name" } });
  expect(planned("paths", { rules: Array(50).fill({ pattern: "p".repeat(200), label: "l".repeat(200) }) }).rules).toHaveLength(50);
});

refuses("paths", [
  ["an empty node", { node: "" }, "invalid_parameter", "node"],
  ["a node that is none", { node: "company." }, "invalid_parameter", "node"],
  ["a rule alone", { rules: rule }, "invalid_parameter", "rules"],
  ["51 rules", { rules: Array(51).fill(rule) }, "invalid_parameter", "rules"],
  ["a rule that is text", { rules: ["^/"] }, "invalid_parameter", "rules[0]"],
  ["a rule without a pattern", { rules: [rule, { label: "x" }] }, "invalid_parameter", "rules[1].pattern"],
  ["an empty pattern", { rules: [{ pattern: "", label: "x" }] }, "invalid_parameter", "rules[0].pattern"],
  ["a pattern of 201 characters", { rules: [{ pattern: "a".repeat(201), label: "x" }] }, "invalid_parameter", "rules[0].pattern"],
  ["a rule without a label", { rules: [{ pattern: "x" }] }, "invalid_parameter", "rules[0].label"],
  ["a label of 201 characters", { rules: [{ pattern: "x", label: "a".repeat(201) }] }, "invalid_parameter", "rules[0].label"],
  ["an unknown member of a rule", { rules: [{ ...rule, flags: "i" }] }, "unknown_parameter", "rules[0].flags"],
  ["an empty start", { startAt: "" }, "invalid_parameter", "startAt"],
  ["an end that is the start", { startAt: "/", endAt: "/" }, "invalid_parameter", "endAt"],
  ["what is to be collapsed in text", { collapse: "yes" }, "invalid_parameter", "collapse"],
  ["one node", { maxDepth: 1 }, "invalid_parameter", "maxDepth"],
  ["21 nodes", { maxDepth: 21 }, "invalid_parameter", "maxDepth"],
  ["a limit of 0", { limit: 0 }, "invalid_parameter", "limit"],
  ["a limit of 1,001", { limit: 1_001 }, "invalid_parameter", "limit"],
  ["an interval", { interval: "day" }, "unknown_parameter", "interval"],
]);
