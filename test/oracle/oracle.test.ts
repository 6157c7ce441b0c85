import type { EventInput, FilterInput } from "daybook";
import { oracle } from "../support/index.js";
import { describe, expect, test } from "vitest";

const nowMs = Date.UTC(2026, 2, 10);

/** Ids of the events that a filter accepts, in order of time. */
function accepted(events: readonly Omit<EventInput, "name">[], filter: FilterInput): string[] {
  const ids = events.map((_, index) => `00000000-0000-4000-8000-00000000000${index}`);
  const named = events.map((event, index) => ({ name: "e", createdAt: new Date(index), id: ids[index] ?? "", ...event }));
  const found = oracle(named, { nowMs }).searchEvents({ filterGroups: [{ filters: [filter] }] });
  return found.map((event) => String(ids.indexOf(event.id))).reverse();
}

function withMetadata(...values: unknown[]): Omit<EventInput, "name">[] {
  return values.map((value) => ({ metadata: { k: value } }));
}

const k = (operator: string, value?: unknown): FilterInput => ({ fieldName: "metadata.k", operator, value });

describe("filters of the oracle", () => {
  test("A number equals a filter value that parses as the same number, a string only its own characters.", () => {
    expect(accepted(withMetadata(3, "3", "3.0", 30, [1, 3]), k("=", "3.0"))).toEqual(["0", "2", "4"]);
    expect(accepted(withMetadata(3, "3", "3.0", 30, [1, 3]), k("!=", "3.0"))).toEqual(["1", "3"]);
    expect(accepted(withMetadata(3, "03"), k("=", "03"))).toEqual(["1"]);
  });

  test("A missing key, null, the empty string and arrays of these are not set.", () => {
    const events = [{}, ...withMetadata(null, "", [], ["", null], ["", "a"], {}, 0, false)];
    expect(accepted(events, k("is_not_set"))).toEqual(["0", "1", "2", "3", "4"]);
    expect(accepted(events, k("=", ""))).toEqual(["0", "1", "2", "3", "4"]);
    expect(accepted(events, k(" EXISTS "))).toEqual(["5", "6", "7", "8"]);
    expect(accepted(events, k("!=", "a"))).toEqual(["0", "1", "2", "3", "4", "6", "7", "8"]);
  });

  test("An object is set and passes nothing else.", () => {
    const object = withMetadata({ a: "x" });
    for (const filter of [k("=", "x"), k("contains", "x"), k("regex", "."), k(">", "0")]) expect(accepted(object, filter)).toEqual([]);
    expect(accepted(object, k("is_set"))).toEqual(["0"]);
  });

  test("Text operators ignore case and see numbers and booleans as their JSON text.", () => {
    const events = withMetadata("ABC", "xAbx", 10.5, true, null, ["z", "b"]);
    expect(accepted(events, k("contains", "B"))).toEqual(["0", "1", "5"]);
    expect(accepted(events, k("not_contains", "B"))).toEqual(["2", "3", "4"]);
    expect(accepted(events, k("starts_with", "10."))).toEqual(["2"]);
    expect(accepted(events, k("ends_with", "UE"))).toEqual(["3"]);
  });

  test("A regex is searched anywhere, minds case, and never holds on what is not set.", () => {
    expect(accepted(withMetadata("abc", "ABC", "", 12), k("regex", "b|^$|2"))).toEqual(["0", "3"]);
    expect(accepted(withMetadata("abc", "ABC", "", 12), k("not_matches", "(?i)B"))).toEqual(["2", "3"]);
  });

  test("A number as bound compares numbers and strings in number form, and nothing else.", () => {
    const events = withMetadata(5, "5", "05", "1e1", true, "", "five", [1, 9]);
    expect(accepted(events, k(">", "4"))).toEqual(["0", "1", "3", "7"]);
    expect(accepted(events, k("<=", 5))).toEqual(["0", "1", "7"]);
    expect(accepted(events, k("between", "5, 9"))).toEqual(["0", "1", "7"]);
    expect(accepted(events, k("between", "9,5"))).toEqual([]);
  });

  test("No single element between the bounds means not between, though others lie on either side.", () => {
    expect(accepted(withMetadata([1, 9]), k("between", "4,6"))).toEqual([]);
  });

  test("A date as bound spans its whole day.", () => {
    const events = withMetadata("2026-02-28T23:59:59.999Z", "2026-03-01", "2026-03-02T00:59:00+01:00", "2026-03-02T00:00:00Z", 5);
    expect(accepted(events, k(">", "2026-03-01"))).toEqual(["3"]);
    expect(accepted(events, k(">=", "2026-03-01"))).toEqual(["1", "2", "3"]);
    expect(accepted(events, k("<", "2026-03-01"))).toEqual(["0"]);
    expect(accepted(events, k("<=", "2026-03-01"))).toEqual(["0", "1", "2"]);
    expect(accepted(events, k("not_between", "2026-03-01,2026-03-01"))).toEqual(["0", "3", "4"]);
  });

  test("A list is JSON or comma-separated; only the latter trims and drops empty items.", () => {
    const events = withMetadata("a", " a", "a,b", "", 3);
    expect(accepted(events, k("in", " a ,, 3.0 "))).toEqual(["0", "4"]);
    expect(accepted(events, k("in", "a\\,b"))).toEqual(["2"]);
    expect(accepted(events, k("in", '[" a", ""]'))).toEqual(["1", "3"]);
    expect(accepted(events, k("not_in", ["a", 3]))).toEqual(["1", "2", "3"]);
  });

  test("A metadata path tries the literal key first, which stops the walk even when it is null.", () => {
    const events = [{ a: { b: "walk" } }, { "a.b": "literal", a: { b: "walk" } }, { "a.b": null, a: { b: "walk" } }, { a: ["b"] }];
    const histories = events.map((metadata) => ({ metadata }));
    expect(accepted(histories, { fieldName: "metadata.a.b", operator: "=", value: "walk" })).toEqual(["0"]);
    expect(accepted(histories, { fieldName: "metadata.a.b", operator: "is_set" })).toEqual(["0", "1"]);
    expect(accepted(histories, { fieldName: "a.b", operator: "is_set" })).toEqual(["1"]);
    expect(accepted(histories, { fieldName: "metadata.a.0", operator: "is_set" })).toEqual([]);
  });

  test("Inherited members of objects are no metadata.", () => {
    const events = [{ metadata: {} }, { metadata: JSON.parse('{"__proto__":"x","constructor":"x"}') as Record<string, unknown> }];
    expect(accepted(events, { fieldName: "__proto__", operator: "is_set" })).toEqual(["1"]);
    expect(accepted(events, { fieldName: "metadata.constructor", operator: "=", value: "x" })).toEqual(["1"]);
    expect(accepted(events, { fieldName: "toString", operator: "is_set" })).toEqual([]);
  });

  test("Path and referrer domain are parts of their fields.", () => {
    const events = [{ url: "/a?x", referrer: "https://www.google.com/s" }, { url: "/a#x?y", referrer: "google.com" }, { url: "?a" }];
    expect(accepted(events, { fieldName: "path", operator: "=", value: "/a" })).toEqual(["0", "1"]);
    expect(accepted(events, { fieldName: "path", operator: "is_not_set" })).toEqual(["2"]);
    expect(accepted(events, { fieldName: "referrer_domain", operator: "=", value: "google.com" })).toEqual(["0"]);
  });

  test("Filters of a group are joined by and, groups by or, and empty groups drop out.", () => {
    const events = [{ os: "a", device: "x" }, { os: "a", device: "y" }, { os: "b", device: "y" }];
    const named = events.map((event, index) => ({ name: "e", id: `${index}`, createdAt: new Date(index), ...event }));
    const is = (fieldName: string, value: string) => ({ fieldName, operator: "=", value });
    const count = (...filterGroups: { filters: FilterInput[] }[]) => oracle(named, { nowMs }).countEvents({ filterGroups });
    expect(count({ filters: [is("os", "a"), is("device", "y")] })).toBe(1);
    expect(count({ filters: [is("os", "b")] }, { filters: [is("device", "x")] })).toBe(2);
    expect(count({ filters: [] }, { filters: [is("os", "b")] })).toBe(1);
    expect(count({ filters: [] })).toBe(3);
  });

  test.each([
    [k("like", "a"), "invalid_operator"], [k(">", "a"), "invalid_filter_value"], [k("contains", ""), "invalid_filter_value"],
    [k("="), "invalid_filter_value"], [k("in", ","), "invalid_filter_value"], [k("regex", "("), "invalid_regex"],
    [k("regex", "(a)\\1"), "invalid_regex"], [k("between", "1,2026-01-01"), "invalid_filter_value"],
    [{ fieldName: "", operator: "=", value: "a" }, "invalid_parameter"],
  ])("The filter %j is refused with %s.", (filter, code) => {
    expect(() => accepted([{}], filter)).toThrow(expect.objectContaining({ code }));
  });
});
