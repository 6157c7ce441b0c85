import { expect, test } from "vitest";
import { assert } from "../../../../src/core/base/errors.js";
import { dayStartMs, MS_PER_DAY } from "../../../../src/core/base/time.js";
import { zoneOf } from "../../../../src/core/calendar/zone.js";
import { unitsWithin } from "../../../../src/query/reports/insights/row-units.js";
import type { Rows } from "../../../../src/storage/segment/rows.js";

const hourMs = 3_600_000;
const start = dayStartMs(20);
/** A segment with rows from its first millisecond to its last: some of one day of New York, the others of the next. */
const rows: Pick<Rows, "day" | "minMs" | "maxMs"> = { day: 20, minMs: 0, maxMs: MS_PER_DAY - 1 };
const zone = zoneOf("America/New_York");
assert(zone !== null, "the zone is known");
const cut = { zone, unit: "day", weekStart: 1 } as const;
const [former, later] = [start - 19 * hourMs, start + 5 * hourMs];
const within = (fromMs: number, toMs: number) => {
  const units = unitsWithin(rows as Rows, cut, { fromMs, toMs });
  return units === null ? null : [...units];
};

test("Of a segment's units those lie within a range all of whose rows do.", () => {
  expect(within(start, start + MS_PER_DAY)).toEqual([former, later]);
  expect(within(later, start + MS_PER_DAY)).toEqual([later]);
  expect(within(former, later)).toEqual([former]);
  expect(within(start + MS_PER_DAY, start + 2 * MS_PER_DAY)).toEqual([]);
});

test("Nothing is told of them where a range cuts the rows of one.", () => {
  expect(within(later + 1, start + MS_PER_DAY)).toBeNull();
  expect(within(start + 1, later)).toBeNull();
  expect(within(start, start + MS_PER_DAY - 1)).toBeNull();
});
