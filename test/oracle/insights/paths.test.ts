import type { EventInput } from "daybook";
import { expect, test } from "vitest";
import type { PathsInput } from "../../../src/query/plan/input.js";
import { ask, event } from "./made.js";

const startMs = Date.parse("2026-03-01T00:00Z");
/** One session of a user: an event for each page, a second apart. */
const visit = (userId: string, pages: readonly string[], rest: Partial<EventInput> = {}) => pages.map((url, index) => event(startMs + index * 1_000, { url, userId, ...rest }));
const history = [...visit("ann", ["/a", "/a?x", "/b", "/c"]), ...visit("bob", ["/a", "/b"]), ...visit("carl", ["/b", "/a"])];
const paths = (input: PathsInput = {}, some = history) => ask(some).paths(input);
const nodes = (input: PathsInput = {}) => paths(input).nodes.map(({ step, value, sessions, entries, dropOffs }) => [step, value, sessions, entries, dropOffs]);
const sequences = (input: PathsInput = {}, some = history) => paths(input, some).sequences.map(({ values, sessions }) => [values.join(" "), sessions]);

test("Sessions go from node to node, equal ones in a row being one.", () => {
  expect(paths().sessions).toBe(3);
  expect(nodes()).toEqual([[1, "/a", 2, 2, 0], [1, "/b", 1, 1, 0], [2, "/b", 2, 0, 1], [2, "/a", 1, 0, 1], [3, "/c", 1, 0, 1]]);
  expect(paths().edges).toEqual([
    { step: 1, from: "/a", to: "/b", sessions: 2 }, { step: 1, from: "/b", to: "/a", sessions: 1 }, { step: 2, from: "/b", to: "/c", sessions: 1 },
  ]);
  expect(sequences()).toEqual([["/a /b", 1], ["/a /b /c", 1], ["/b /a", 1]]);
  expect(sequences({ collapse: false })).toEqual([["/a /a /b /c", 1], ["/a /b", 1], ["/b /a", 1]]);
});

test("An end alone counts steps backwards, and keeps the last nodes.", () => {
  expect(nodes({ endAt: "/b" })).toEqual([[4, "/a", 2, 2, 0], [5, "/b", 3, 1, 0]]);
  expect(sequences({ endAt: "/b" })).toEqual([["/a /b", 2], ["/b", 1]]);
  expect(nodes({ endAt: "/c", maxDepth: 2 })).toEqual([[1, "/b", 1, 1, 0], [2, "/c", 1, 0, 0]]);
  expect(paths({ endAt: "/b" }).edges).toEqual([{ step: 4, from: "/a", to: "/b", sessions: 2 }]);
});

test("A start keeps what follows it; with an end, up to the first behind it.", () => {
  expect(sequences({ startAt: "/b" })).toEqual([["/b", 1], ["/b /a", 1], ["/b /c", 1]]);
  expect(nodes({ startAt: "/a", endAt: "/c" })).toEqual([[1, "/a", 1, 1, 0], [2, "/b", 1, 0, 0], [3, "/c", 1, 0, 0]]);
  const again = visit("ann", ["/b", "/a", "/b", "/c", "/b"]);
  expect(sequences({ startAt: "/a", endAt: "/b" }, again)).toEqual([["/a /b", 1]]);
  expect(sequences({ endAt: "/b" }, again)).toEqual([["/b", 1]]);
  expect(sequences({ startAt: "/a", endAt: "/b", maxDepth: 2 }, visit("ann", ["/a", "/x", "/b"]))).toEqual([["/a /x", 1]]);
  expect(paths({ startAt: "/nowhere" })).toEqual({ sessions: 0, nodes: [], edges: [], sequences: [] });
});

test("What is cut at the greatest depth is no drop-off.", () => {
  expect(nodes({ maxDepth: 2 })).toEqual([[1, "/a", 2, 2, 0], [1, "/b", 1, 1, 0], [2, "/b", 2, 0, 1], [2, "/a", 1, 0, 1]]);
  expect(sequences({ maxDepth: 2 })).toEqual([["/a /b", 2], ["/b /a", 1]]);
});

test("Rules give labels before equal ones become one; the first that matches wins.", () => {
  const rules = [{ pattern: "^/[ab]$", label: "ab" }, { pattern: "/", label: "other" }];
  expect(sequences({ rules })).toEqual([["ab", 2], ["ab other", 1]]);
  expect(sequences({ rules, startAt: "other" })).toEqual([["other", 1]]);
});

test("Filters choose the nodes; what has no value is none; lists are JSON.", () => {
  const mixed = [event(startMs, { url: "/a", metadata: { tag: ["x", "y"] } }), event(startMs + 1, { name: "f", url: "/b" }), event(startMs + 2, { metadata: { tag: 5 } }), event(startMs + 3, { metadata: { tag: [""] } })];
  expect(sequences({ eventName: "e" }, mixed)).toEqual([["/a", 1]]);
  expect(sequences({ node: "tag" }, mixed)).toEqual([['["x","y"] 5', 1]]);
  expect(sequences({ node: "name" }, mixed)).toEqual([["e f e", 1]]);
  expect(paths({ eventName: "none" }, mixed).sessions).toBe(0);
});

test("Sessions count where they start; nodes, edges and sequences are limited each.", () => {
  expect(paths({ startDate: "2026-03-02" }).sessions).toBe(0);
  const late = [...visit("ann", ["/a"]), event(startMs + 1_500_000, { url: "/z" })];
  expect(sequences({ endDate: "2026-03-01T00:00:01Z" }, late)).toEqual([["/a /z", 1]]);
  const limited = paths({ limit: 1 });
  expect([limited.nodes.map(({ value }) => value), limited.edges.length, limited.sequences.length, limited.sessions]).toEqual([["/a", "/b", "/c"], 2, 1, 3]);
});
