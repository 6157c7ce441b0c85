import type { EventInput } from "daybook";
import { expect, test } from "vitest";
import { ask, event } from "./made.js";

const view = (time: string, url: string | null, rest: Partial<EventInput> = {}) => event(time, { name: "Pageview", url, ...rest });
const history = [
  // Ann came twice: with two pages and a click in 61.5 seconds, and for one event.
  view("2026-03-01T23:59:00Z", "/in?utm_source=news", { locationCountry: "DE", device: "m" }), view("2026-03-02T00:00:00Z", "/out#x", { locationCountry: "FR" }),
  event("2026-03-02T00:00:01.500Z", { name: "click" }), event("2026-03-02T10:00Z", { name: "click" }),
  view("2026-03-02T11:00Z", "/in", { userId: "bob", referrer: "https://www.google.com/" }), view("2026-03-02T11:00:00.001Z", "/in", { userId: "bob" }),
  view("2026-03-02T12:00Z", "/in", { userId: null }),
];

test("Sessions are counted, timed and told by their pages.", () => {
  expect(ask(history).sessionsOverview()).toEqual({
    buckets: [{
      start: null, end: null, local: null, partial: true, sessions: 3, users: 2, events: 6, pageviews: 4, bounces: 1, bounceRate: 0.3333,
      // 0, 1 and 61,500 ms: 61,501 / 3 = 20,500.33; rank 1.8: 1 + 0.8 × 61,499 = 49,200.2.
      durationAvgSec: 20.5, durationMedianSec: 0.001, durationP90Sec: 49.2, pagesPerSession: 1.3333,
    }],
    total: expect.objectContaining({ sessions: 3, users: 2, bounces: 1, durationMedianSec: 0.001 }) as unknown,
    rows: null, rest: null, valueCount: 0,
    entryPages: [{ value: "/in", sessions: 2, bounces: 0, bounceRate: 0 }, { value: "", sessions: 1, bounces: 1, bounceRate: 1 }],
    exitPages: [{ value: "", sessions: 1, bounces: 1, bounceRate: 1 }, { value: "/in", sessions: 1, bounces: 0, bounceRate: 0 }, { value: "/out", sessions: 1, bounces: 0, bounceRate: 0 }],
  });
});

test("Sessions stand in the bucket of their start, under the values of their first event.", () => {
  const { buckets, rows, rest, valueCount } = ask(history).sessionsOverview({ interval: "day", breakdown: { fields: ["country"], limit: 1, rest: true } });
  expect(buckets.map(({ local, sessions, events, users }) => [local, sessions, events, users])).toEqual([["2026-03-01", 1, 3, 1], ["2026-03-02", 2, 3, 2]]);
  expect(rows?.map(({ values, figures }) => [...values, figures.sessions])).toEqual([["", 2]]);
  expect([rest?.sessions, rest?.durationAvgSec, valueCount]).toEqual([1, 61.5, 2]);
});

test("A filter keeps the whole sessions that have a matching event.", () => {
  const filterGroups = [{ filters: [{ fieldName: "path", operator: "=", value: "/out" }] }];
  expect(ask(history).sessionsOverview({ filterGroups }).total).toMatchObject({ sessions: 1, events: 3, pageviews: 2, durationAvgSec: 61.5 });
  expect(ask(history).sessionsOverview({ filterGroups, startDate: "2026-03-02" }).total.sessions).toBe(0);
  expect(ask([]).sessionsOverview({ startDate: "2026-03-01", endDate: "2026-03-01", interval: "day" }).buckets).toEqual([{
    start: "2026-03-01T00:00:00.000Z", end: "2026-03-01T23:59:59.999Z", local: "2026-03-01", partial: false, sessions: 0, users: 0, events: 0, pageviews: 0, bounces: 0,
    bounceRate: null, durationAvgSec: null, durationMedianSec: null, durationP90Sec: null, pagesPerSession: null,
  }]);
});

test("The web overview counts visitors and views of events, the rest of visits.", () => {
  const web = ask(history).webOverview({ startDate: "2026-03-02", endDate: "2026-03-02", compare: "previous_period", interval: "day" });
  expect(web.figures).toEqual({ visitors: 2, views: 4, visits: 2, viewsPerVisit: 1, bounceRate: 0.5, durationAvgSec: 0.001 });
  expect(web.previous).toEqual({ visitors: 1, views: 1, visits: 1, viewsPerVisit: 2, bounceRate: 0, durationAvgSec: 61.5 });
  expect(web.chart?.map(({ local, visitors, views, visits }) => [local, visitors, views, visits])).toEqual([["2026-03-02", 2, 4, 2]]);
  expect(web.pages).toEqual([{ value: "/in", visitors: 1, views: 3 }, { value: "/out", visitors: 1, views: 1 }]);
});

test("Pages are ordered by visitors, then views, then value.", () => {
  const pages = [view("2026-03-01T00:00Z", "/c"), view("2026-03-01T00:01Z", "/c"), view("2026-03-01T00:02Z", "/a"), view("2026-03-01T00:02Z", "/a", { userId: "bob" }), view("2026-03-01T00:03Z", "/b"), view("2026-03-01T00:03Z", "/d")];
  const five = [...pages, view("2026-03-01T00:04Z", "/c"), view("2026-03-01T00:05Z", null)];
  expect(ask(five).webOverview().pages.map(({ value, visitors, views }) => [value, visitors, views])).toEqual([["/a", 2, 2], ["/c", 1, 3], ["", 1, 1], ["/b", 1, 1], ["/d", 1, 1]]);
});

test("Lists are of visits, by the first event's own touch and values.", () => {
  const web = ask([...history, event("2026-05-31T23:55:00Z", { userId: "now" })]).webOverview({ endDate: "2026-03-31" });
  const list = (rows: readonly { value: string; visitors: number; visits: number }[]) => rows.map(({ value, visitors, visits }) => [value, visitors, visits]);
  expect(list(web.sources)).toEqual([["(direct)", 1, 1], ["google.com", 1, 1], ["news", 1, 1]]);
  expect(list(web.mediums)).toEqual([["(none)", 1, 1], ["(not set)", 1, 1], ["organic", 1, 1]]);
  expect(list(web.campaigns)).toEqual([["(not set)", 2, 2], ["(none)", 1, 1]]);
  expect(list(web.countries)).toEqual([["", 2, 2], ["DE", 1, 1]]);
  expect(list(web.devices)).toEqual([["", 2, 2], ["m", 1, 1]]);
  expect(list(web.entryPages)).toEqual([["/in", 2, 2], ["", 1, 1]]);
  expect(list(web.exitPages)).toEqual([["", 1, 1], ["/in", 1, 1], ["/out", 1, 1]]);
  expect([web.chart, web.previous, web.nowOnline]).toEqual([null, null, 1]);
  expect(ask(history).webOverview({ limit: 1 }).sources).toHaveLength(1);
});

test("Online are people with an event in the last five minutes, whatever is asked.", () => {
  const now = [event("2026-05-31T23:55:00Z"), event("2026-05-31T23:54:59.999Z", { userId: "bob" }), event("2026-06-01T00:01Z", { userId: "carl" }), event("2026-06-01T00:00Z", { userId: null })];
  expect(ask(now).webOverview({ eventName: "none", endDate: "2026-01-01" }).nowOnline).toBe(2);
  expect(ask(now).webOverview({ project: "other" }).nowOnline).toBe(0);
});
