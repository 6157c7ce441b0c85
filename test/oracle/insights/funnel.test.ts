import type { EventInput } from "daybook";
import type { HistoryItem } from "../../support/index.js";
import { expect, test } from "vitest";
import type { FunnelInput } from "../../../src/query/plan/input.js";
import { ask, event, identify, group } from "./made.js";

const startMs = Date.parse("2026-03-01T00:00Z");
/** Events named by letters, so many seconds after the start. */
const did = (letters: string, seconds: readonly number[] = [...letters].map((_, index) => index), rest: Partial<EventInput> = {}): EventInput[] => {
  return [...letters].map((name, index) => event(startMs + (seconds[index] ?? 0) * 1_000, { name, ...rest }));
};
const steps = (letters: string) => [...letters].map((eventName) => ({ eventName }));
const funnel = (history: readonly HistoryItem[], letters: string, input: Partial<FunnelInput> = {}) => ask(history).funnel({ steps: steps(letters), ...input });
const counts = (history: readonly HistoryItem[], letters: string, input: Partial<FunnelInput> = {}) => funnel(history, letters, input).steps.map(({ entities }) => entities);
const depth = (history: readonly HistoryItem[], letters: string, input: Partial<FunnelInput> = {}) => counts(history, letters, input).reduce((sum, count) => sum + count, 0);

test("Entities are counted by the depth of their chain, with rates and times.", () => {
  const history = [...did("abc", [0, 60, 180]), ...did("axb", [0, 10, 20], { userId: "bob" }), ...did("a", [0], { userId: "carl" }), ...did("bc", [0, 1], { userId: "dora" }), ...did("abc", [0, 0, 0], { userId: null })];
  expect(funnel(history, "abc")).toEqual({
    pending: 0, rows: null, rest: null, valueCount: 0, trend: null,
    steps: [
      { name: "a", entities: 3, conversionRate: 1, stepRate: 1, dropOffs: 1, fromPrevious: null, fromEntry: null },
      // 20 and 60 seconds.
      { name: "b", entities: 2, conversionRate: 0.6667, stepRate: 0.6667, dropOffs: 1, fromPrevious: { avgSec: 40, medianSec: 40, p90Sec: 56 }, fromEntry: { avgSec: 40, medianSec: 40, p90Sec: 56 } },
      { name: "c", entities: 1, conversionRate: 0.3333, stepRate: 0.5, dropOffs: 0, fromPrevious: { avgSec: 120, medianSec: 120, p90Sec: 120 }, fromEntry: { avgSec: 180, medianSec: 180, p90Sec: 180 } },
    ],
  });
});

test("Nobody makes empty steps; names are given, or the event's, or numbers.", () => {
  const filterGroups = [{ filters: [{ fieldName: "x", operator: "=", value: "1" }] }];
  expect(ask([]).funnel({ steps: [{ eventName: "a", name: "First" }, { filterGroups }, { eventName: "c" }] }).steps).toEqual(["First", "step 2", "c"].map((name) => (
    { name, entities: 0, conversionRate: null, stepRate: null, dropOffs: 0, fromPrevious: null, fromEntry: null }
  )));
  expect(funnel([], "ab", { order: "any" }).steps.map(({ name }) => name)).toEqual(["1 steps", "2 steps"]);
});

test("The window is inclusive, and reaches from the first event to the last.", () => {
  const history = did("abc", [0, 5, 10]);
  expect(counts(history, "abc", { conversionWindowSec: 10 })).toEqual([1, 1, 1]);
  expect(counts(history, "abc", { conversionWindowSec: 9 })).toEqual([1, 1, 0]);
  expect(counts([event(startMs, { name: "a" }), event(startMs + 5_001, { name: "b" })], "ab", { conversionWindowSec: 5 })).toEqual([1, 0]);
});

test("Entries lie in the range, later steps may lie behind it.", () => {
  const history = did("ab", [-1, 86_400 * 2]);
  expect(counts(history, "ab", { startDate: "2026-02-28", endDate: "2026-02-28" })).toEqual([1, 1]);
  expect(counts(history, "ab", { startDate: "2026-03-01" })).toEqual([0, 0]);
});

test("Of one millisecond any order will do, but one event is one step.", () => {
  expect(counts(did("cba", [0, 0, 0]), "abc")).toEqual([1, 1, 1]);
  expect(counts(did("a", [0]), "aa")).toEqual([1, 0]);
  expect(counts(did("aa", [0, 0]), "aaa")).toEqual([1, 1, 0]);
  const overlapping = [event(startMs, { name: "a", url: "/x" }), event(startMs, { name: "b", url: "/x" })];
  const onX = { filterGroups: [{ filters: [{ fieldName: "path", operator: "=", value: "/x" }] }] };
  expect(ask(overlapping).funnel({ steps: [onX, { eventName: "a" }] }).steps.map(({ entities }) => entities)).toEqual([1, 1]);
  expect(ask(overlapping).funnel({ steps: [{ eventName: "b" }, onX], order: "strict" }).steps.map(({ entities }) => entities)).toEqual([1, 1]);
});

test("The chain is the first of the deepest.", () => {
  // The first try ends behind the window; the second and third get as far.
  const history = did("abaabcabc", [0, 1, 100, 101, 102, 103, 200, 201, 202]);
  const { steps: [, second, third] } = funnel(history, "abc", { conversionWindowSec: 50 });
  expect([second?.fromPrevious?.avgSec, third?.fromEntry?.avgSec]).toEqual([2, 3]);
  expect(funnel(did("abbc", [0, 1, 5, 9]), "abc").steps[1]?.fromPrevious?.avgSec).toBe(1);
});

test("An exclusion between two steps ends a try, not the next one, nor at the same millisecond.", () => {
  const excluded = { exclusions: [{ eventName: "x" }] };
  expect(counts(did("axb"), "ab", excluded)).toEqual([1, 0]);
  expect(counts(did("axab"), "ab", excluded)).toEqual([1, 1]);
  expect(counts(did("axb", [0, 0, 1]), "ab", excluded)).toEqual([1, 1]);
  expect(counts(did("axb", [0, 1, 1]), "ab", excluded)).toEqual([1, 1]);
  expect(counts(did("abxc"), "abc", excluded)).toEqual([1, 1, 0]);
  expect(counts(did("abxc"), "abc", { exclusions: [{ eventName: "x", beforeStep: 2 }] })).toEqual([1, 1, 1]);
  expect(counts(did("axbc"), "abc", { exclusions: [{ eventName: "x", afterStep: 2 }] })).toEqual([1, 1, 1]);
  expect(counts(did("abxc"), "abc", { exclusions: [{ eventName: "x", afterStep: 2 }] })).toEqual([1, 1, 0]);
  expect(counts(did("axb", undefined, { userId: "bob" }).concat(did("axb")), "ab", { ...excluded, filterGroups: [{ filters: [{ fieldName: "name", operator: "!=", value: "x" }] }] })).toEqual([2, 2]);
});

test("Strict lets nothing between two steps, unless at their millisecond.", () => {
  const strict = { order: "strict" } as const;
  expect(counts(did("axb"), "ab", strict)).toEqual([1, 0]);
  expect(counts(did("axb", [0, 1, 1]), "ab", strict)).toEqual([1, 1]);
  expect(counts(did("aab"), "ab", strict)).toEqual([1, 1]);
  expect(counts(did("ababc"), "abc", strict)).toEqual([1, 1, 1]);
});

test("Any order takes each step once, in some assignment.", () => {
  const any = { order: "any" } as const;
  expect(counts(did("cab"), "abc", any)).toEqual([1, 1, 1]);
  expect(counts(did("aab", [0, 20, 25]), "abc", { ...any, conversionWindowSec: 10 })).toEqual([1, 1, 0]);
  expect(counts(did("cxa"), "ac", { ...any, exclusions: [{ eventName: "x" }] })).toEqual([1, 0]);
  const wide = { filterGroups: [{ filters: [{ fieldName: "name", operator: "in", value: "a,b" }] }] };
  expect(ask(did("ab")).funnel({ ...any, steps: [wide, { eventName: "a" }] }).steps.map(({ entities }) => entities)).toEqual([1, 1]);
  expect(ask(did("a")).funnel({ ...any, steps: [wide, { eventName: "a" }] }).steps.map(({ entities }) => entities)).toEqual([1, 0]);
  expect(() => funnel([], "ab", { ...any, exclusions: [{ eventName: "x", afterStep: 2 }] })).toThrow("any");
});

test("Pending are those who may still go on.", () => {
  const at = (secondsAgo: number, name: string, userId: string) => event(Date.parse("2026-06-01T00:00Z") - secondsAgo * 1_000, { name, userId });
  const history = [at(100, "a", "ann"), at(50, "b", "ann"), at(100, "a", "bob"), at(101, "a", "carl"), at(50, "b", "dora"), at(300, "a", "eve"), at(299, "b", "eve"), at(10, "a", "eve")];
  expect(funnel(history, "ab", { conversionWindowSec: 100 })).toMatchObject({ pending: 1, steps: [{ entities: 4 }, { entities: 2 }] });
  expect(funnel(history, "ab", { conversionWindowSec: 101 }).pending).toBe(2);
  expect(funnel(history, "ab", { conversionWindowSec: 100, order: "any" }).pending).toBe(2);
});

test("Rows are by the values of the first event, or of the last one of the chain.", () => {
  const history = [
    ...did("a", [0], { device: "m" }), ...did("b", [1], { device: "d" }), ...did("a", [0], { device: "m", userId: "bob" }),
    ...did("a", [0], { userId: "carl", device: "t" }), ...did("a", [1], { userId: "carl", device: "m" }), ...did("b", [2], { userId: "carl", device: "m" }),
  ];
  const rowsOf = (at: "entry" | "last", limit = 25, rest = false) => {
    const answer = funnel(history, "ab", { breakdown: { fields: ["device"], at, limit, rest } });
    return [answer.rows?.map(({ values, steps: own }) => [...values, ...own.map(({ entities }) => entities)]), answer.rest?.map(({ entities }) => entities) ?? null, answer.valueCount];
  };
  expect(rowsOf("entry")).toEqual([[["m", 2, 1], ["t", 1, 1]], null, 2]);
  expect(rowsOf("last", 1, true)).toEqual([[["m", 2, 1]], [1, 1], 2]);
  expect(rowsOf("entry", 1, true)).toEqual([[["m", 2, 1]], [1, 1], 2]);
});

test("A bucket of the trend is the funnel of that bucket alone.", () => {
  const history = did("abab", [0, 86_400 * 2, 86_400 * 2 + 1, 86_400 * 2 + 3]);
  const { trend, steps: all } = funnel(history, "ab", { interval: "day" });
  expect(all.map(({ entities }) => entities)).toEqual([1, 1]);
  expect(trend?.map(({ bucket, steps: own }) => [bucket.local, ...own.map(({ entities }) => entities)])).toEqual([["2026-03-01", 1, 1], ["2026-03-02", 0, 0], ["2026-03-03", 1, 1]]);
  expect(trend?.map(({ steps: own }) => own[1]?.fromEntry?.avgSec ?? null)).toEqual([172_800, null, 2]);
  expect(() => funnel(history, "ab", { interval: "day", breakdown: { fields: ["name"] } })).toThrow("breakdown");
});

test("Accounts go through steps together; without company people do.", () => {
  const history = [group("2026-01-01T00:00Z", "acme", {}), group("2026-01-01T00:00Z", "acme", { userId: "bob" }), ...did("a"), ...did("b", [1], { userId: "bob" }), ...did("a", [0], { userId: "carl" })];
  expect(counts(history, "ab")).toEqual([2, 0]);
  expect(counts(history, "ab", { level: "account" })).toEqual([2, 1]);
});

test("Sessions are entities of their own, by their start.", () => {
  const history = [...did("xa", [-10, 0]), ...did("b", [1_799]), ...did("ab", [7_200, 7_201]), ...did("a", [20_000])];
  expect(counts(history, "ab", { level: "session" })).toEqual([3, 2]);
  expect(counts(history, "ab", { level: "session", startDate: "2026-03-01" })).toEqual([2, 1]);
  expect(counts(history, "ab", { level: "session", endDate: "2026-02-28" })).toEqual([1, 1]);
  expect(funnel(history, "ab", { level: "session", interval: "day" }).trend?.map(({ bucket, steps: own }) => [bucket.local, own[0]?.entities])).toEqual([["2026-02-28", 1], ["2026-03-01", 2]]);
});

test("Who became known later goes through the steps as one.", () => {
  const history = [...did("a", [0], { userId: null, anonymousId: "d1" }), ...did("b", [1], { userId: "ann" })];
  expect(counts(history, "ab")).toEqual([1, 0]);
  expect(counts([...history, identify("2026-04-01T00:00Z", { anonymousId: "d1" })], "ab")).toEqual([1, 1]);
});

test("Depths are ClickHouse's, but one event is one step.", () => {
  const codes = (numbers: readonly number[], seconds = numbers.map((_, index) => index)) => numbers.map((code, index) => event(startMs + (seconds[index] ?? 0) * 1_000, { metadata: { code } }));
  const by = (...tests: [operator: string, value: number][]) => tests.map(([operator, value]) => ({ filterGroups: [{ filters: [{ fieldName: "code", operator, value }] }] }));
  const deep = (history: readonly HistoryItem[], windowSec: number, ...tests: [string, number][]) => {
    return ask(history).funnel({ steps: by(...tests), conversionWindowSec: windowSec }).steps.filter(({ entities }) => entities > 0).length;
  };
  const nine = codes([1_000, 1_001, 1_002, 1_003, 1_004, 1_005, 1_006, 1_007, 1_008]);
  const five: [string, number][] = [["=", 1_003], ["=", 1_004], ["=", 1_005], ["=", 1_006], ["=", 1_007]];
  expect(deep(nine, 10_000, ["=", 1_000], ["=", 1_001], ["=", 1_002], ["=", 1_008])).toBe(4);
  expect([2, 3, 4].map((windowSec) => deep(nine, windowSec, ...five))).toEqual([3, 4, 5]);
  expect(deep(nine, 10_000, ["=", 1_008], ["=", 1_001])).toBe(1);
  expect(deep(nine.slice(1), 4, ["<=", 1_007], [">=", 1_002], ["<=", 1_006], [">=", 1_004])).toBe(4);
  const strictIncrease = codes([1_000, 1_001, 1_002, 1_003, 1_004], [0, 1, 1, 1, 2]);
  expect(deep(strictIncrease, 10_000, ["=", 1_000], ["=", 1_001], ["=", 1_002], ["=", 1_003], ["=", 1_004])).toBe(5);
  expect(deep(strictIncrease, 10_000, ["=", 1_004], ["=", 1_004], ["=", 1_004])).toBe(1);

  const users = ["abc", "adbc", "aabbcc", "aaaabbcc", "aabbdcc", "ccbbaa"];
  expect(users.map((letters) => depth(did(letters), "abc"))).toEqual([3, 3, 3, 3, 3, 1]);
  expect(users.map((letters) => depth(did(letters), "abc", { order: "strict" }))).toEqual([3, 1, 2, 2, 2, 1]);
  expect(depth(did("abcbd"), "abcd", { order: "strict" })).toBe(3);
  expect(depth(did("acb"), "abc", { order: "strict" })).toBe(1);
  const results = [did("ffs", [180, 220, 250]), did("ff", [100, 250]), did("sfs", [200, 210, 230])];
  expect(results.map((history) => depth(history, "ffs", { conversionWindowSec: 200 }))).toEqual([3, 2, 1]);
});
