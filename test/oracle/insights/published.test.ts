import { readFileSync } from "node:fs";
import { oracle, type Oracle } from "../../support/index.js";
import { beforeAll, expect, test } from "vitest";
import { event } from "./made.js";

const nowMs = Date.parse("2000-01-01T00:00Z");
let asked: Oracle;

beforeAll(() => {
  const file = readFileSync(new URL("../../../examples/data/CDNOW_sample.txt", import.meta.url), "utf8");
  const history = file.trim().split(/\r?\n/).map((line) => {
    const [, customer = "", date = ""] = line.trim().split(/\s+/);
    return event(`${date.replace(/(....)(..)(..)/, "$1-$2-$3")}T12:00Z`, { userId: customer });
  });
  asked = oracle(history, { nowMs });
});

test("The customers of the CDNOW sample bought on so many days as lifetimes counts them.", () => {
  const [bucket] = asked.stickiness({ endDate: "1997-09-30" }).buckets;
  expect(bucket?.entities).toBe(2_357);
  expect(bucket?.units.slice(0, 7).map(({ entities }) => entities)).toEqual([1_411, 439, 214, 100, 62, 38, 29]);
  expect(bucket?.units[7]?.atLeast).toBe(64);
});

test("Their repeat purchases grow from week to week as BTYD tracks them.", () => {
  const scope = { startDate: "1997-01-01", endDate: "1998-06-30", weekStart: "wednesday" } as const;
  const buyers = asked.trend({ ...scope, interval: "week", measure: { type: "unique_users" }, cumulative: true });
  const weeks = asked.stickiness({ ...scope, interval: "week" }).buckets.map(({ units }) => units.reduce((sum, row) => sum + row.units * row.entities, 0));
  const repeats = weeks.map((_, week) => weeks.slice(0, week + 1).reduce((sum, count) => sum + count, 0) - (buyers.series[0]?.data[week] ?? NaN));
  expect(repeats).toHaveLength(78);
  expect([...repeats.slice(0, 6), ...repeats.slice(-2)]).toEqual([0, 19, 42, 81, 119, 192, 4_311, 4_339]);
});
