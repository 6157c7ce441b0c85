import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nearestDouble, countOf, meanOf, percentileOf, sumOf, tallyOf, rateOf, secondsOf, percentilesOf } from "../../../../src/query/answer/numbers.js";
import { seededRandom } from "../../../../src/testing/random.js";
import { baseSeed } from "../../../oracle/settings.js";

const once = (...numbers: number[]) => tallyOf(Float64Array.from(numbers), new Float64Array(numbers.length).fill(1));

describe("a quotient", () => {
  test("is the nearest double, as the runtime reads decimals.", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.integer({ min: 0, max: 360 }), (units, digits) => {
        expect(nearestDouble(units, 10n ** BigInt(digits))).toBe(Number(`${units}e-${digits}`) + 0);
      }),
      { seed: baseSeed, numRuns: 2_000 },
    );
  });

  test("of two doubles is theirs.", () => {
    const whole = fc.integer({ min: 1, max: 2 ** 31 - 1 });
    fc.assert(
      fc.property(whole, whole, (a, b) => {
        expect(nearestDouble(BigInt(a), BigInt(b))).toBe(a / b);
      }),
      { seed: baseSeed, numRuns: 2_000 },
    );
  });

  test("ties to even, ends at the largest double, and is never −0.", () => {
    expect(nearestDouble(2n ** 53n + 1n, 1n)).toBe(2 ** 53);
    expect(nearestDouble(2n ** 53n + 3n, 1n)).toBe(2 ** 53 + 4);
    expect(nearestDouble(10n ** 400n, 1n)).toBe(Number.MAX_VALUE);
    expect(nearestDouble(-(10n ** 400n), 1n)).toBe(-Number.MAX_VALUE);
    expect(Object.is(nearestDouble(-1n, 10n ** 400n), 0)).toBe(true);
    expect(nearestDouble(5n, 10n ** 324n)).toBe(Number.MIN_VALUE);
  });
});

describe("numbers are the decimals that are printed for them", () => {
  test("in sums, which have no order.", () => {
    expect(sumOf(once(0.1, 0.2))).toBe(0.3);
    expect(sumOf(once(1e16, 1, -1e16))).toBe(1);
    expect(sumOf(once(1e300, 5e-324, -1e300))).toBe(5e-324);
    expect(sumOf(once(1.7e308, 1.7e308))).toBe(Number.MAX_VALUE);
    expect(sumOf(once(0.29, 1.005, 2 ** 53))).toBe(2 ** 53 + 2);
    expect([sumOf(once()), meanOf(once()), percentileOf(once(), 50)]).toEqual([0, null, null]);
    expect(Object.is(sumOf(once(-0)), 0)).toBe(true);
    expect(Object.is(percentileOf(once(-0), 50), 0)).toBe(true);
  });

  test("as a slow sum of bigints has them.", () => {
    const numbers = fc.array(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.integer().map((cents) => cents / 100)), { maxLength: 12 });
    fc.assert(
      fc.property(numbers, (list) => {
        const exact = list.reduce((sum, number) => sum + scaled(number), 0n);
        expect(sumOf(once(...list))).toBe(nearestDouble(exact, 10n ** 400n));
        expect(meanOf(once(...list))).toBe(list.length === 0 ? null : nearestDouble(exact, 10n ** 400n * BigInt(list.length)));
      }),
      { seed: baseSeed, numRuns: 500 },
    );
  });

  test("in percentiles between neighbours.", () => {
    expect([0, 25, 50, 75, 90, 100].map((percent) => percentileOf(once(4, 1, 3, 2), percent))).toEqual([1, 1.75, 2.5, 3.25, 3.7, 4]);
    expect(percentileOf(once(0.1, 0.2), 50)).toBe(0.15);
    expect(percentileOf(tallyOf(Float64Array.of(1, 100), Float64Array.of(99, 1)), 99)).toBe(1.99);
  });

  test("of the same number are counted together.", () => {
    const tally = tallyOf(Float64Array.of(2, 1, 2, -0, 0), Float64Array.of(1, 5, 3, 1, 1));
    expect([[...tally.numbers], [...tally.counts], countOf(tally)]).toEqual([[0, 1, 2], [2, 5, 4], 11]);
  });
});

test("Rates have four decimals, durations three, half up.", () => {
  expect([rateOf(1, 3), rateOf(2, 3), rateOf(0, 0), rateOf(5, 5)]).toEqual([0.3333, 0.6667, null, 1]);
  expect([secondsOf(1_001, 2), secondsOf(0, 1), secondsOf(10, 3)]).toEqual([0.501, 0, 0.003]);
});

test("Percentiles of durations lie between their neighbours, however many there are and however long they take.", async () => {
  const pause = () => Promise.resolve();
  const percentiles = (of: Uint32Array | Float64Array, ...percents: number[]) => percentilesOf(of, Uint32Array.from(of.keys()), percents, pause);
  expect([await percentiles(Uint32Array.of(3_000, 0, 1_000), 90), await percentiles(new Float64Array(), 50)]).toEqual([[2.6], [null]]);
  const random = seededRandom(baseSeed);
  for (const count of [8_192, 8_193, 30_000]) {
    const durations = Float64Array.from({ length: count }, () => Math.floor(2 ** (random.next() * 31)));
    const ascending = durations.toSorted();
    const naive = [50, 90, 99].map((percent) => {
      const place = ((count - 1) * percent) / 100;
      const [low, high] = [ascending[Math.floor(place)] ?? 0, ascending[Math.ceil(place)] ?? 0];
      return Math.round(low + (high - low) * (place % 1)) / 1_000;
    });
    expect(await percentiles(Uint32Array.from(durations), 50, 90, 99)).toEqual(naive);
    expect(await percentiles(durations, 50, 90, 99)).toEqual(naive);
  }
});

/** A number as an integer of 10⁻⁴⁰⁰. */
function scaled(number: number): bigint {
  const [mantissa = "0", exponent = "0"] = String(number).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return BigInt(whole + fraction) * 10n ** BigInt(400 + Number(exponent) - fraction.length);
}
