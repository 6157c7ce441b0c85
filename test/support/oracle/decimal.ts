/** A decimal number as a whole number of 10^-30: twelve digits of an amount times eighteen of a rate, nothing lost. */
export type Exact = bigint;

const EXACT_DIGITS = 30;

/** A number, from its shortest decimal text, as a whole number of 10^-digits; half to even below. */
export function scaled(number: number, digits: number): bigint {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number)) ?? [];
  const power = Number(exponent) - fraction.length + digits;
  const unsigned = BigInt(whole + fraction);
  const size = power >= 0 ? unsigned * 10n ** BigInt(power) : dividedHalfEven(unsigned, 10n ** BigInt(-power));
  return sign === "-" ? -size : size;
}

/** What is shown of an exact amount divided by `count`: rounded half to even to so many digits. */
export function shownNumber(exact: Exact, digits: number, count = 1): number {
  const units = dividedHalfEven(exact, BigInt(count) * 10n ** BigInt(EXACT_DIGITS - digits));
  const text = String(units < 0n ? -units : units).padStart(digits + 1, "0");
  const point = text.length - digits;
  const size = Number(`${text.slice(0, point)}.${text.slice(point)}`);
  return units < 0n ? -size : size;
}

/** A quotient rounded to a whole number, halves to the even one. `divisor` is positive. */
export function dividedHalfEven(dividend: bigint, divisor: bigint): bigint {
  if (dividend < 0n) return -dividedHalfEven(-dividend, divisor);
  const [quotient, twiceRest] = [dividend / divisor, (dividend % divisor) * 2n];
  const isUp = twiceRest > divisor || (twiceRest === divisor && quotient % 2n === 1n);
  return isUp ? quotient + 1n : quotient;
}
