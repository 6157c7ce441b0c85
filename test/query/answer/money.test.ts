import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { ZERO, addMoney, compareMoney, convertMoney, isNegative, majorUnits, majorUnitsPer, moneyOfNumber, negated, timesMoney } from "../../../src/query/answer/money.js";
import { scaled } from "../../support/oracle/decimal.js";
import { baseSeed } from "../../oracle/settings.js";

const money = (value: number) => moneyOfNumber(JSON.stringify(value));
const usd = (value: number) => majorUnits(money(value), "USD");

test.each([1.5e-7, -1.5e-7, 1e21, 1_234_567_890.25, 0, 0.1])("%d that came several times is what as many add up to", (value) => {
  for (const count of [1, 2, 10_000]) {
    const sum = Array.from({ length: count }, () => money(value)).reduce(addMoney, ZERO);
    expect(compareMoney(timesMoney(money(value), count), sum)).toBe(0);
  }
});

describe("the amount of a number", () => {
  test.each<[number, number]>([
    [0.1, 0.1], [19.99, 19.99], [-5, -5], [1e21, 1e21], [123_456_789.12, 123_456_789.12], [1e-7, 0], [0, 0], [9_999_999_999.99, 9_999_999_999.99],
  ])("%d is shown as %d", (value, shown) => {
    expect(usd(value)).toBe(shown);
  });

  test("is rounded to 10⁻¹², half to even, by its decimal text", () => {
    const picos = (value: number) => BigInt(money(value)) / 10n ** 18n;
    expect([5e-13, 1.5e-12, 2.5e-12, -1.5e-12, 1.2e-11, 0.1234567890125].map(picos)).toEqual([0n, 2n, 2n, -2n, 12n, 123_456_789_012n]);
  });

  test("is what its decimal text says, however many digits that has", () => {
    const numbers = fc.oneof(
      fc.tuple(fc.integer({ min: -(2 ** 52), max: 2 ** 52 }), fc.integer({ min: 0, max: 17 })).map(([digits, places]) => Number(`${digits}e-${places}`)),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    );
    fc.assert(
      fc.property(numbers, (number) => {
        expect(compareMoney(money(number), scaled(number, 12) * 10n ** 18n)).toBe(0);
      }),
      { seed: baseSeed, numRuns: 2_000 },
    );
  });

  test("of a token's price adds up to what all of them cost", () => {
    const tokens = Array.from({ length: 100_000 }, () => money(1.5e-7));
    expect(majorUnits(tokens.reduce(addMoney, ZERO), "USD")).toBe(0.02);
    expect(majorUnits(convertMoney(money(1.5e-7), 1e6), "USD")).toBe(0.15);
  });

  test("is a number of millionths where it is one", () => {
    expect([0.000001, 1.5, 2.5e-6 + 0, 1e-6 * 3].map((value) => typeof money(value))).toEqual(["number", "number", "bigint", "number"]);
  });

  test("is the same by the short way and by the long one", () => {
    fc.assert(
      fc.property(fc.integer({ min: -999_999_999, max: 999_999_999 }), fc.integer({ min: 0, max: 999_999 }), (whole, millionths) => {
        const fraction = String(millionths).padStart(6, "0");
        expect(moneyOfNumber(`${whole}.${fraction}`)).toBe(moneyOfNumber(`${whole}${fraction}e-6`));
      }),
      { seed: baseSeed },
    );
  });
});

describe("a sum", () => {
  test("loses nothing where doubles do", () => {
    const cents = Array.from({ length: 1_000 }, () => money(0.1));
    expect(majorUnits(cents.reduce(addMoney, ZERO), "USD")).toBe(100);
    expect(usd(0.1) + usd(0.2)).not.toBe(0.3);
    expect(majorUnits(addMoney(money(0.1), money(0.2)), "USD")).toBe(0.3);
  });

  test("passes 2^53 millionths and comes back without losing one", () => {
    const large = moneyOfNumber("9007199254.740991");
    const sum = [0.000001, 0.000001, 0.000001].map(money).reduce(addMoney, large);
    expect(compareMoney(addMoney(sum, negated(large)), money(0.000003))).toBe(0);
    const astronomical = addMoney(addMoney(money(1e300), money(0.01)), money(-1e300));
    expect(majorUnits(astronomical, "USD")).toBe(0.01);
  });

  test("is the same in any order, small and large mixed", () => {
    const amounts = fc.array(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e18, max: 1e18 }), fc.integer()), { maxLength: 30 });
    fc.assert(
      fc.property(amounts, (values) => {
        const sum = (list: readonly number[]) => list.map(money).reduce(addMoney, ZERO);
        expect(compareMoney(sum(values), sum([...values].reverse()))).toBe(0);
      }),
      { seed: baseSeed },
    );
  });
});

describe("what is shown", () => {
  test.each<[number, string, number]>([
    [0.125, "USD", 0.12], [0.135, "USD", 0.14], [-0.125, "USD", -0.12], [0.005, "USD", 0], [2.5, "JPY", 2], [3.5, "JPY", 4], [-0.4, "JPY", 0],
    [1.2345, "KWD", 1.234], [1.2355, "KWD", 1.236], [1.005, "points", 1], [1.015, "points", 1.02],
  ])("%d %s is %d: half to even, to the digits of the currency", (value, currency, shown) => {
    expect(majorUnits(money(value), currency)).toBe(shown);
  });

  test("never is a negative zero", () => {
    for (const value of [-0.001, -0.004]) expect(Object.is(usd(value), 0)).toBe(true);
    expect(Object.is(negated(ZERO), 0)).toBe(true);
  });

  test("shared by several is rounded once", () => {
    expect(majorUnitsPer(money(10), 3, "USD")).toBe(3.33);
    expect(majorUnitsPer(money(0.25), 2, "USD")).toBe(0.12);
    expect(majorUnitsPer(money(1e12), 3, "USD")).toBe(333_333_333_333.33);
    // Rounded before it is shared, it would be 0.01 / 2: half a cent, which goes to the even 0.
    expect(majorUnitsPer(money(0.014), 2, "USD")).toBe(0.01);
  });
});

describe("conversion", () => {
  test("is exact: the product of the decimals", () => {
    expect(majorUnits(convertMoney(money(3), 1.1), "USD")).toBe(3.3);
    const third = convertMoney(money(0.000001), 0.333333333333333);
    expect(compareMoney([...Array(3).keys()].map(() => third).reduce(addMoney, ZERO), money(0.000001))).toBeLessThan(0);
    expect(compareMoney(convertMoney(money(1), 0.1), money(0.1))).toBe(0);
    expect(compareMoney(convertMoney(money(-3), 1e-7), convertMoney(money(-1), 3e-7))).toBe(0);
  });

  test("by 18 decimals of the rate, half to even", () => {
    expect(compareMoney(convertMoney(money(1), 5e-19), ZERO)).toBe(0);
    expect(compareMoney(convertMoney(money(1), 15e-19), convertMoney(money(1), 2e-18))).toBe(0);
  });

  test("keeps the sign", () => {
    expect(isNegative(convertMoney(money(-1), 2))).toBe(true);
    expect(isNegative(ZERO)).toBe(false);
    expect(majorUnits(negated(convertMoney(money(-1), 2)), "USD")).toBe(2);
  });
});
