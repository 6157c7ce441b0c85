import { expect, test } from "vitest";
import type { TrendInput } from "../../../src/query/plan/input.js";
import { ask, event } from "./made.js";

const bucketsOf = (input: TrendInput, history = [event("2026-03-01T00:00Z")]) => ask(history).trend(input).buckets;
const previousOf = (input: TrendInput) => ask([]).trend(input).previous?.buckets.map(({ start, end }) => [start, end]);

test("Events fall into the days of the zone.", () => {
  const history = ["2026-03-28T22:59:59.999Z", "2026-03-28T23:00Z", "2026-03-29T21:59:59.999Z", "2026-03-29T22:00Z"].map((time) => event(time));
  expect(ask(history).trend({ timeZone: "Europe/Berlin", startDate: "2026-03-28", endDate: "2026-03-30" })).toEqual({
    buckets: [
      { start: "2026-03-27T23:00:00.000Z", end: "2026-03-28T22:59:59.999Z", local: "2026-03-28", partial: false },
      { start: "2026-03-28T23:00:00.000Z", end: "2026-03-29T21:59:59.999Z", local: "2026-03-29", partial: false },
      { start: "2026-03-29T22:00:00.000Z", end: "2026-03-30T21:59:59.999Z", local: "2026-03-30", partial: false },
    ],
    series: [{ values: [], counted: 4, total: 4, data: [1, 2, 1] }],
    rest: null, valueCount: 0, unconverted: [], previous: null, currency: null,
  });
});

test("Buckets are cut to the range; what is cut or not over is partial.", () => {
  expect(bucketsOf({ startDate: "2026-03-01T10:00:00Z", endDate: "2026-03-02T10:00:00Z" })).toEqual([
    { start: "2026-03-01T10:00:00.000Z", end: "2026-03-01T23:59:59.999Z", local: "2026-03-01", partial: true },
    { start: "2026-03-02T00:00:00.000Z", end: "2026-03-02T10:00:00.000Z", local: "2026-03-02", partial: true },
  ]);
  expect(bucketsOf({ startDate: "2026-05-31", endDate: "2026-06-01" }).map(({ partial }) => partial)).toEqual([false, true]);
  expect(bucketsOf({ interval: "month", startDate: "2026-03-01", endDate: "2026-03-31" }).map(({ partial }) => partial)).toEqual([false]);
});

test("A total is one bucket, open where the range is.", () => {
  expect(bucketsOf({ interval: "total" })).toEqual([{ start: null, end: null, local: null, partial: true }]);
  expect(bucketsOf({ interval: "total", startDate: "2026-03-01T10:00:00Z", endDate: "2026-03-02" })).toEqual([
    { start: "2026-03-01T10:00:00.000Z", end: "2026-03-02T23:59:59.999Z", local: null, partial: false },
  ]);
});

test("Open sides reach from the first to the last thing that counts, whoever else did something.", () => {
  const history = [event("2026-05-01T00:00Z", { userId: null }), event("2026-05-03T00:00Z"), event("2026-05-05T00:00Z"), event("2026-05-06T00:00Z", { userId: null })];
  const { buckets, series } = ask(history).trend({ measure: { type: "unique_users" } });
  expect(buckets.map(({ local }) => local)).toEqual(["2026-05-03", "2026-05-04", "2026-05-05"]);
  expect(series).toEqual([{ values: [], counted: 2, total: 1, data: [1, 0, 1] }]);
  expect(ask([]).trend()).toMatchObject({ buckets: [], series: [{ values: [], counted: 0, total: 0, data: [] }] });
  expect(ask([]).trend({ startDate: "2026-05-01" }).buckets).toEqual([]);
  expect(ask(history).trend({ startDate: "2026-05-05" }).buckets.map(({ local }) => local)).toEqual(["2026-05-05", "2026-05-06"]);
});

test("The year 1970 cuts the first day west of Greenwich.", () => {
  const { buckets } = ask([event(0)]).trend({ timeZone: "America/New_York" });
  expect(buckets).toEqual([{ start: "1970-01-01T00:00:00.000Z", end: "1970-01-01T04:59:59.999Z", local: "1969-12-31", partial: true }]);
  const [total] = ask([]).trend({ timeZone: "Asia/Tokyo", interval: "total", startDate: "1970-01-01" }).buckets;
  expect(total?.start).toBe("1970-01-01T00:00:00.000Z");
});

test("Numbers are JSON numbers and texts in their form; arrays, objects and all else have none.", () => {
  const given: unknown[] = [0.1, 0.2, "3.0", 1, "-2e0", true, "abc", " 1", "0x1", "1e400", [50], [1, 2, 2, "1"], [[7]], { a: 1 }, null, "", []];
  const history = given.map((x, index) => event(Date.parse("2026-03-01T00:00Z") + index, { metadata: { x: x as string } }));
  const seriesOf = (type: "sum" | "avg" | "min" | "max" | "p25" | "median" | "p75" | "p90" | "p95" | "p99" | "unique_values") => {
    const [series] = ask(history).trend({ measure: { type, field: "x" }, interval: "total" }).series;
    return [series?.counted, series?.total, series?.data];
  };
  // -2, 0.1, 0.2, 1 and 3 of five events.
  expect(seriesOf("sum")).toEqual([5, 2.3, [2.3]]);
  expect(seriesOf("avg")).toEqual([5, 0.46, [0.46]]);
  expect(seriesOf("min")).toEqual([5, -2, [-2]]);
  expect(seriesOf("p25")).toEqual([5, 0.1, [0.1]]);
  expect(seriesOf("median")).toEqual([5, 0.2, [0.2]]);
  expect(seriesOf("p75")).toEqual([5, 1, [1]]);
  expect(seriesOf("p90")).toEqual([5, 2.2, [2.2]]);
  expect(seriesOf("p95")).toEqual([5, 2.6, [2.6]]);
  expect(seriesOf("p99")).toEqual([5, 2.92, [2.92]]);
  expect(seriesOf("max")).toEqual([5, 3, [3]]);
  // All texts but "" and all others, elements too, each once: 0.1, 0.2, 3.0, 1, -2e0, true, abc, " 1", 0x1, 1e400, 50, 2, 7, {"a":1}.
  expect(seriesOf("unique_values")).toEqual([14, 14, [14]]);
});

test("Cumulative figures are the measure up to the end of the bucket; without filling, buckets without anything are left out.", () => {
  const history = [
    event("2026-05-01T00:00Z"), event("2026-05-02T00:00Z"), event("2026-05-02T01:00Z", { userId: "bob" }), event("2026-05-04T00:00Z", { metadata: { x: 4 } }),
  ];
  const dataOf = (input: TrendInput) => ask(history).trend(input).series[0]?.data;
  expect(dataOf({ measure: { type: "unique_users" } })).toEqual([1, 2, 0, 1]);
  expect(dataOf({ measure: { type: "unique_users" }, cumulative: true })).toEqual([1, 2, 2, 2]);
  expect(dataOf({ measure: { type: "unique_users" }, cumulative: true, fill: false })).toEqual([1, 2, 2]);
  expect(dataOf({ cumulative: true })).toEqual([1, 3, 3, 4]);
  expect(dataOf({ measure: { type: "avg", field: "x" }, startDate: "2026-05-03", endDate: "2026-05-05" })).toEqual([null, 4, null]);
  expect(dataOf({ measure: { type: "avg", field: "x" }, startDate: "2026-05-03", endDate: "2026-05-05", cumulative: true })).toEqual([null, 4, 4]);
  expect(ask(history).trend({ fill: false }).buckets.map(({ local }) => local)).toEqual(["2026-05-01", "2026-05-02", "2026-05-04"]);
});

test("A thing stands under each of its values; what is not shown counts once in the rest.", () => {
  const history = [["a", "b", "c"], ["a"], ["b"], []].map((tags, day) => event(Date.UTC(2026, 2, 1 + day), { metadata: { tags, x: day } }));
  const trend = (input: TrendInput) => ask(history).trend({ interval: "total", ...input });
  const all = trend({ breakdown: { fields: ["tags"], rest: true } });
  expect(all.series.map(({ values, total }) => [...values, total])).toEqual([["a", 2], ["b", 2], ["", 1], ["c", 1]]);
  expect(all).toMatchObject({ valueCount: 4, rest: { values: [], counted: 0, total: 0, data: [0] } });
  expect(trend({ breakdown: { fields: ["tags"], limit: 1, rest: true } })).toMatchObject({ series: [{ values: ["a"], total: 2 }], rest: { counted: 3, total: 3, data: [3] }, valueCount: 4 });
  expect(trend({ breakdown: { fields: ["tags"], limit: 1 } }).rest).toBeNull();
  const sums = trend({ breakdown: { fields: ["tags"], limit: 2, rest: true }, measure: { type: "sum", field: "x" } });
  expect(sums).toMatchObject({ series: [{ values: [""], total: 3 }, { values: ["b"], total: 2 }], rest: { total: 1, counted: 2 } });
});

test("With two fields there is a series for each pair; those of which nothing counts come last, and count as values.", () => {
  const history = [
    event("2026-03-01T00:00Z", { device: "m", metadata: { tags: ["b", "a"] } }), event("2026-03-02T00:00Z", { device: "d", metadata: { tags: "a", x: -1 } }),
  ];
  const { series, valueCount } = ask(history).trend({ breakdown: { fields: ["device", "tags"] }, measure: { type: "min", field: "x" } });
  expect(series.map(({ values, counted, total, data }) => [values, counted, total, data])).toEqual([
    [["d", "a"], 1, -1, [-1]], [["m", "a"], 0, null, [null]], [["m", "b"], 0, null, [null]],
  ]);
  expect(valueCount).toBe(3);
});

test("Without filling, what only a hidden series has leaves no bucket, unless the rest is shown.", () => {
  const history = [event("2026-03-01T00:00Z"), event("2026-03-01T00:00Z"), event("2026-03-03T00:00Z", { name: "f" })];
  const localsOf = (rest: boolean) => ask(history).trend({ breakdown: { fields: ["name"], limit: 1, rest }, fill: false }).buckets.map(({ local }) => local);
  expect(localsOf(false)).toEqual(["2026-03-01"]);
  expect(localsOf(true)).toEqual(["2026-03-01", "2026-03-03"]);
  expect(ask(history).trend({ breakdown: { fields: ["name"], limit: 1 } }).buckets).toHaveLength(3);
});

test("The period before is as many units, else as many days, else as many ms.", () => {
  const compare = "previous_period";
  expect(previousOf({ compare, interval: "week", startDate: "2026-03-02", endDate: "2026-03-15" })).toEqual([
    ["2026-02-16T00:00:00.000Z", "2026-02-22T23:59:59.999Z"], ["2026-02-23T00:00:00.000Z", "2026-03-01T23:59:59.999Z"],
  ]);
  expect(previousOf({ compare, interval: "month", startDate: "2026-03-01", endDate: "2026-04-30" })).toEqual([
    ["2026-01-01T00:00:00.000Z", "2026-01-31T23:59:59.999Z"], ["2026-02-01T00:00:00.000Z", "2026-02-28T23:59:59.999Z"],
  ]);
  expect(previousOf({ compare, interval: "month", startDate: "2026-03-05", endDate: "2026-03-11" })).toEqual([
    ["2026-02-26T00:00:00.000Z", "2026-02-28T23:59:59.999Z"], ["2026-03-01T00:00:00.000Z", "2026-03-04T23:59:59.999Z"],
  ]);
  expect(previousOf({ compare, interval: "total", startDate: "2026-03-01T10:00:00Z", endDate: "2026-03-01T11:59:59.999Z" })).toEqual([
    ["2026-03-01T08:00:00.000Z", "2026-03-01T09:59:59.999Z"],
  ]);
});

test("Days before are the zone's, however long; one that does not exist is none.", () => {
  const [first, last] = [0, -1].map((at) => previousOf({ compare: "previous_period", timeZone: "Europe/Berlin", startDate: "2026-03-01", endDate: "2026-03-31" })?.at(at));
  expect([first?.[0], last?.[1]]).toEqual(["2026-01-28T23:00:00.000Z", "2026-02-28T22:59:59.999Z"]);
  expect(previousOf({ compare: "previous_period", timeZone: "Europe/Berlin", interval: "total", startDate: "2026-03-30", endDate: "2026-03-30" })).toEqual([
    ["2026-03-28T23:00:00.000Z", "2026-03-29T21:59:59.999Z"],
  ]);
  const fourDays = previousOf({ compare: "previous_period", timeZone: "Europe/Berlin", interval: "week", startDate: "2026-03-30", endDate: "2026-04-02" });
  expect(fourDays).toEqual([["2026-03-25T23:00:00.000Z", "2026-03-29T21:59:59.999Z"]]);
  expect(previousOf({ compare: "previous_period", timeZone: "Pacific/Apia", startDate: "2011-12-31", endDate: "2012-01-01" })).toEqual([
    ["2011-12-28T10:00:00.000Z", "2011-12-29T09:59:59.999Z"], ["2011-12-29T10:00:00.000Z", "2011-12-30T09:59:59.999Z"],
  ]);
});

test("The year before is of the same dates, months and local times; a leap day becomes the 28th.", () => {
  const yearBefore = (startDate: string, endDate: string, timeZone = "UTC") => previousOf({ compare: "previous_year", interval: "total", startDate, endDate, timeZone });
  expect(yearBefore("2024-02-29", "2024-02-29")).toEqual([["2023-02-28T00:00:00.000Z", "2023-02-28T23:59:59.999Z"]]);
  expect(yearBefore("2025-02-28", "2025-02-28")).toEqual([["2024-02-28T00:00:00.000Z", "2024-02-28T23:59:59.999Z"]]);
  expect(yearBefore("2025-02-01", "2025-02-28")).toEqual([["2024-02-01T00:00:00.000Z", "2024-02-29T23:59:59.999Z"]]);
  expect(yearBefore("2012-12-29", "2012-12-30", "Pacific/Apia")).toEqual([["2011-12-29T10:00:00.000Z", "2011-12-30T09:59:59.999Z"]]);
  expect(yearBefore("2025-02-28", "2025-03-01")).toEqual([["2024-02-28T00:00:00.000Z", "2024-03-01T23:59:59.999Z"]]);
  expect(yearBefore("2026-03-29", "2026-03-30", "Europe/Berlin")).toEqual([["2025-03-28T23:00:00.000Z", "2025-03-30T21:59:59.999Z"]]);
  // 02:30 was skipped on 30 March 2025, and came twice on 26 October 2025.
  expect(yearBefore("2026-03-30T00:30:00Z", "2026-03-30T23:00:00Z", "Europe/Berlin")?.[0]?.[0]).toBe("2025-03-30T01:00:00.000Z");
  expect(yearBefore("2026-10-26T01:30:00Z", "2026-10-26T23:00:00Z", "Europe/Berlin")?.[0]?.[0]).toBe("2025-10-26T00:30:00.000Z");
});

test("What cannot be compared is refused.", () => {
  const code = (input: TrendInput) => { try { ask([]).trend(input); return null; } catch (error) { return (error as { code?: string }).code; } };
  expect(code({ compare: "previous_year", startDate: "2026-01-01" })).toBe("invalid_parameter");
  expect(code({ compare: "previous_period", startDate: "1970-01-01", endDate: "1970-01-02" })).toBe("invalid_parameter");
  expect(code({ compare: "previous_year", startDate: "1970-12-31", endDate: "1970-12-31" })).toBe("invalid_parameter");
  // From the first 02:50 to the second 02:10.
  expect(code({ compare: "previous_year", timeZone: "Europe/Berlin", startDate: "2025-10-26T00:50:00Z", endDate: "2025-10-26T01:10:00Z" })).toBe("invalid_parameter");
  expect(code({ timeZone: "Pacific/Apia", startDate: "2011-12-30", endDate: "2011-12-30" })).toBe("invalid_date_range");
  expect(code({ timeZone: "+01:00" })).toBe("invalid_parameter");
  expect(code({ interval: "minute", startDate: "2026-01-01", endDate: "2026-01-07" })).toBe("invalid_parameter");
  expect(code({ interval: "minute", startDate: "2026-01-01", endDate: "2026-01-06" })).toBeNull();
});

test("Compared are the values that are shown now, in their order.", () => {
  const history = [event("2026-03-01T00:00Z", { name: "f" }), event("2026-03-01T00:00Z", { name: "g" }), event("2026-03-02T00:00Z"), event("2026-03-02T00:00Z"), event("2026-03-02T00:00Z", { name: "f" })];
  const { previous, series } = ask(history).trend({ startDate: "2026-03-02", endDate: "2026-03-02", compare: "previous_period", breakdown: { fields: ["name"], rest: true } });
  expect(series.map(({ values }) => values)).toEqual([["e"], ["f"]]);
  expect(previous).toMatchObject({ series: [{ values: ["e"], counted: 0, total: 0, data: [0] }, { values: ["f"], total: 1 }], rest: { total: 1 }, valueCount: 2 });
});

test("Revenue is rounded figure by figure; a duplicate counts nowhere, other money apart.", () => {
  const paid = (day: number, value: number, rest = {}) => event(Date.UTC(2026, 2, day), { name: "Payment", value, externalId: `o${day}`, ...rest });
  const history = [paid(1, 1.005), paid(2, 1.005), paid(3, 9, { externalId: "o1" }), paid(4, 5, { currency: "GBP" }), event("2026-03-06T00:00Z"), paid(5, -0.5)];
  expect(ask(history).trend({ measure: { type: "revenue" } })).toMatchObject({
    currency: "USD", unconverted: [{ currency: "GBP", revenue: 5, orders: 1 }], series: [{ counted: 3, total: 1.51, data: [1, 1, 0, 0, -0.5] }],
  });
  expect(ask(history).trend({ measure: { type: "revenue" }, startDate: "2026-03-03", endDate: "2026-03-03" })).toMatchObject({ unconverted: [], series: [{ counted: 0, total: 0, data: [0] }] });
});

test("A session counts where it starts, if anything in it matches, under the values of its first event.", () => {
  const history = [
    event("2026-03-01T23:50Z", { url: "/in" }), event("2026-03-02T00:10Z", { name: "buy", url: "/out" }), event("2026-03-02T12:00Z", { url: "/other" }), event("2026-03-01T00:00Z", { userId: null }),
  ];
  const sessions = (input: TrendInput) => ask(history).trend({ measure: { type: "sessions" }, breakdown: { fields: ["path"] }, ...input });
  expect(sessions({}).series).toEqual([{ values: ["/in"], counted: 1, total: 1, data: [1, 0] }, { values: ["/other"], counted: 1, total: 1, data: [0, 1] }]);
  expect(sessions({ eventName: "buy" })).toMatchObject({ valueCount: 1, series: [{ values: ["/in"], total: 1 }], buckets: [{ local: "2026-03-01" }] });
  expect(sessions({ eventName: "buy", startDate: "2026-03-02", endDate: "2026-03-02" }).series).toEqual([]);
});

test("The hour that comes twice has two figures.", () => {
  const history = ["2025-10-26T00:30Z", "2025-10-26T01:30Z", "2025-10-26T01:40Z"].map((time) => event(time));
  const { buckets, series } = ask(history).trend({ interval: "hour", timeZone: "Europe/Berlin" });
  expect(buckets.map(({ local }) => local)).toEqual(["2025-10-26T02:00+02:00", "2025-10-26T02:00+01:00"]);
  expect(series[0]?.data).toEqual([1, 2]);
});
