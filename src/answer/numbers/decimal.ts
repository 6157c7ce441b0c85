/** A number as the decimal that JavaScript prints for it: an integer of 10 to the power of −digits. */
interface Decimal {
  readonly units: bigint;
  readonly digits: number;
}

/** Numbers of one count of digits behind the point, as integers of the last of these. */
export interface Decimals {
  readonly units: readonly bigint[] | Float64Array;
  readonly digits: number;
}

/** Digits behind the point that most numbers have at most. */
const USUAL_DIGITS = [0, 2, 4, 6];
/** Decimals of fewer digits are told apart by doubles, so that the shortest one that names a double is the one. */
const EXACT_UNITS = 10 ** 15;

/** The decimals that JavaScript prints for finite numbers, on one scale: as doubles where these are exact, else as bigints. */
export function decimalsOf(numbers: Float64Array): Decimals {
  for (const digits of USUAL_DIGITS) {
    const units = unitsOf(numbers, 10 ** digits);
    if (units !== null) return { units, digits };
  }
  const decimals = Array.from(numbers, decimalOf);
  const digits = decimals.reduce((most, decimal) => Math.max(most, decimal.digits), 0);
  return { units: decimals.map((decimal) => decimal.units * 10n ** BigInt(digits - decimal.digits)), digits };
}

function unitsOf(numbers: Float64Array, scale: number): Float64Array | null {
  const units = new Float64Array(numbers.length);
  for (let at = 0; at < numbers.length; at += 1) {
    const number = numbers[at] ?? 0;
    const scaled = Math.round(number * scale);
    if (scaled / scale !== number || Math.abs(scaled) >= EXACT_UNITS) return null;
    units[at] = scaled;
  }
  return units;
}

function decimalOf(number: number): Decimal {
  const [mantissa = "0", exponent = "0"] = String(number).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const units = BigInt(whole + fraction);
  const digits = fraction.length - Number(exponent);
  return digits >= 0 ? { units, digits } : { units: units * 10n ** BigInt(-digits), digits: 0 };
}
