/** Bits of a double's significand. */
const SIGNIFICAND_BITS = 53;
/** The smallest double above 0 is 2 to the power of −1074: no quotient needs finer bits. */
const FINEST_BITS = 1_074;

/**
 * The double nearest to an exact quotient, ties to even; beyond the largest double, the largest; never −0.
 * @param denominator above 0
 */
export function nearestDouble(numerator: bigint, denominator: bigint): number {
  if (numerator === 0n) return 0;
  const size = nearestAboveZero(numerator < 0n ? -numerator : numerator, denominator);
  return numerator < 0n && size !== 0 ? -size : size;
}

function nearestAboveZero(numerator: bigint, denominator: bigint): number {
  // So far to the left the quotient has at least one bit more than a double, unless it is below all normal ones.
  const shift = Math.min(SIGNIFICAND_BITS + 1 - (bitLength(numerator) - bitLength(denominator)), FINEST_BITS);
  const [up, down] = shift >= 0 ? [numerator << BigInt(shift), denominator] : [numerator, denominator << BigInt(-shift)];
  const quotient = up / down;
  const dropped = Math.max(0, bitLength(quotient) - SIGNIFICAND_BITS);
  const unit = down << BigInt(dropped);
  const kept = quotient >> BigInt(dropped);
  const twice = (up - kept * unit) * 2n;
  const rounded = twice > unit || (twice === unit && (kept & 1n) === 1n) ? kept + 1n : kept;
  return Math.min(scaled(Number(rounded), dropped - shift), Number.MAX_VALUE);
}

/** A product with a power of two, in two steps, for one alone may be no double. */
function scaled(value: number, exponent: number): number {
  const half = Math.trunc(exponent / 2);
  return value * 2 ** half * 2 ** (exponent - half);
}

function bitLength(value: bigint): number {
  const hex = value.toString(16);
  return (hex.length - 1) * 4 + (32 - Math.clz32(parseInt(hex.charAt(0), 16)));
}
