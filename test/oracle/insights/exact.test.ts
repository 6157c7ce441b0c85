import { seededRandom } from "daybook/testing";
import { expect, test } from "vitest";
import {
  averageOf, decimalOf, nearestDouble, percentileOf, rateOf, secondsOf, shownDecimal, sumOf, type Fraction,
} from "../../support/oracle/insights/exact.js";

const sum = (...numbers: number[]) => shownDecimal({ over: sumOf(numbers.map(decimalOf)), under: 1n });
const shown = (fraction: Fraction | null) => (fraction === null ? null : shownDecimal(fraction));
const average = (...numbers: number[]) => shown(averageOf(numbers.map(decimalOf)));
const percentile = (percent: number, ...numbers: number[]) => shown(percentileOf(numbers.map(decimalOf), percent));

test("Sums are of the decimals that are printed, in any order, and rounded once.", () => {
  expect(sum(0.1, 0.2)).toBe(0.3);
  expect(sum(1e16, 1, 1, -1e16)).toBe(2);
  expect(sum(1e308, 5e-324, -1e308)).toBe(5e-324);
  expect(sum()).toBe(0);
});

test("Ties go to the even double; beyond the largest there is the largest; there is no -0.", () => {
  const two53 = 2n ** 53n;
  expect(nearestDouble({ over: two53 + 1n, under: 1n })).toBe(2 ** 53);
  expect(nearestDouble({ over: two53 + 3n, under: 1n })).toBe(2 ** 53 + 4);
  expect(nearestDouble({ over: (two53 + 1n) * 1_000n + 1n, under: 1_000n })).toBe(2 ** 53 + 2);
  expect(sum(Number.MAX_VALUE, Number.MAX_VALUE)).toBe(Number.MAX_VALUE);
  expect(sum(-Number.MAX_VALUE, -1e300)).toBe(-Number.MAX_VALUE);
  expect(nearestDouble({ over: 10n ** 400n, under: 1n })).toBe(Number.MAX_VALUE);
  expect(Object.is(sum(-0), 0)).toBe(true);
  expect(Object.is(average(-5e-324, 0, 0), 0)).toBe(true);
  expect(average(5e-324, 1e-323)).toBe(1e-323);
});

test("A number comes back as it was.", () => {
  const random = seededRandom(1);
  const view = new DataView(new ArrayBuffer(8));
  for (let count = 0; count < 2_000; count += 1) {
    view.setUint32(0, random.below(2 ** 32));
    view.setUint32(4, random.below(2 ** 32));
    const number = view.getFloat64(0);
    if (Number.isFinite(number)) expect(sum(number)).toBe(number);
  }
  for (const number of [Number.MIN_VALUE, 2 ** -1_022, 2 ** -1_022 - Number.MIN_VALUE, Number.MAX_VALUE, 0.1, 1e21, 123456.789]) expect(sum(-number)).toBe(-number);
});

test("Averages and percentiles are exact; those of nothing are none.", () => {
  expect(average(1, 0, 0)).toBe(1 / 3);
  expect(average(0.1, 0.2, 0.3)).toBe(0.2);
  expect(average()).toBeNull();
  expect([0, 25, 50, 75, 90, 100].map((percent) => percentile(percent, 4, 1, 3, 2))).toEqual([1, 1.75, 2.5, 3.25, 3.7, 4]);
  expect(percentile(99, 7)).toBe(7);
  expect(percentile(50)).toBeNull();
});

test("Rates have four decimals, durations three; halves go up.", () => {
  expect([rateOf(1, 3), rateOf(2, 3), rateOf(1, 20_000), rateOf(0, 0)]).toEqual([0.3333, 0.6667, 0.0001, null]);
  expect([secondsOf({ over: 1n, under: 2n }), secondsOf({ over: 32n, under: 3n }), secondsOf({ over: 60_500n, under: 1n })]).toEqual([0.001, 0.011, 60.5]);
});
