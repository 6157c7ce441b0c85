/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are below the length */
import { DaybookError, shown } from "../../core/base/errors.js";
import { digitsOf } from "../../core/schema/fields.js";

/**
 * An exact amount: a safe integer of millionths of the major unit, otherwise a bigint of 10⁻³⁰ of it. Sums of one currency stay numbers, which are
 * fast to add; converted, astronomical and very fine amounts are bigints.
 */
export type Money = number | bigint;

export const ZERO: Money = 0;

/** 12 digits of an amount and 18 of a rate. */
const FINE_DIGITS = 30;
const RATE_DIGITS = 18;
/** Decimals to which an amount is exact: the price of a token is 1.5e-7. */
export const AMOUNT_DIGITS = 12;
const AMOUNTS_PER_MICRO = 10n ** 6n;
const FINE_PER_AMOUNT = 10n ** 18n;
const FINE_PER_MICRO = 10n ** 24n;

export function addMoney(a: Money, b: Money): Money {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return fine(a) + fine(b);
}

export function timesMoney(money: Money, count: number): Money {
  const product = typeof money === "number" ? money * count : NaN;
  return Number.isSafeInteger(product) ? product : fine(money) * BigInt(count);
}

/** Sums of many amounts by index, in a typed array, so that adding one allocates nothing. */
export class MoneySums {
  #micros = new Float64Array(32);
  /** The parts of sums that did not fit a safe integer. */
  readonly #others: Money[] = [];

  add(place: number, amount: Money): void {
    if (place >= this.#micros.length) this.#grow(place);
    const sum = typeof amount === "number" ? this.#micros[place]! + amount : NaN;
    if (Number.isSafeInteger(sum)) this.#micros[place] = sum;
    else this.#others[place] = addMoney(this.#others[place] ?? ZERO, amount);
  }

  of(place: number): Money {
    return addMoney(this.#others[place] ?? ZERO, this.#micros[place] ?? 0);
  }

  #grow(place: number): void {
    const micros = new Float64Array(2 ** Math.ceil(Math.log2(place + 1)));
    micros.set(this.#micros);
    this.#micros = micros;
  }
}

export function compareMoney(a: Money, b: Money): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const difference = fine(a) - fine(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function negated(money: Money): Money {
  // Subtracts from 0: an amount is never −0.
  return typeof money === "number" ? 0 - money : -money;
}

export function isNegative(money: Money): boolean {
  return money < 0;
}

const MICROS_BY_DECIMALS = [1_000_000, 100_000, 10_000, 1_000, 100, 10, 1];
const [POINT, DIGIT_0, DIGIT_9] = [46, 48, 57];

/** The millionths of nearly every price: up to 9 digits, then up to 6 decimals, so that they are a safe integer; -1 for other texts. */
function shortMicros(text: string): number {
  let [digits, point] = [0, text.length];
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === POINT && point === text.length) point = at;
    else if (char >= DIGIT_0 && char <= DIGIT_9) digits = digits * 10 + char - DIGIT_0;
    else return -1;
  }
  const decimalCount = point === text.length ? 0 : text.length - point - 1;
  const factor = MICROS_BY_DECIMALS[decimalCount];
  return factor === undefined || point < 1 || point > 9 || point === text.length - 1 ? -1 : digits * factor;
}

/** The amount of a JSON number in major units, rounded half to even to 10⁻¹². */
export function moneyOfNumber(text: string): Money {
  const short = shortMicros(text);
  if (short >= 0) return short;
  const amount = shortAmount(Number(text)) ?? scaled(text, AMOUNT_DIGITS);
  const micros = Number(amount / AMOUNTS_PER_MICRO);
  return amount % AMOUNTS_PER_MICRO === 0n && Number.isSafeInteger(micros) ? micros : amount * FINE_PER_AMOUNT;
}

/**
 * A number in 10⁻¹² if its decimal text is a whole number of them, else null. A double stands for at most one decimal of up to 15 digits, so a
 * quotient that gives the number back is that decimal.
 */
function shortAmount(number: number): bigint | null {
  const amount = Math.round(number * 1e12);
  return Math.abs(amount) < 1e15 && amount / 1e12 === number ? BigInt(amount) : null;
}

/** An amount times a rate, exactly; at most 18 decimals of the rate count. */
export function convertMoney(money: Money, rate: number): Money {
  return conversionAt(rate)(money);
}

export function conversionAt(rate: number): (money: Money) => Money {
  const exact = scaled(String(rate), RATE_DIGITS);
  return (money) => (fine(money) / FINE_PER_AMOUNT) * exact;
}

/** An amount in major units, rounded half to even to the digits of its currency. */
export function majorUnits(money: Money, currency: string): number {
  return unitsOf(fine(money), 1n, digitsOf(currency));
}

/** An amount per person in major units, rounded once. */
export function majorUnitsPer(money: Money, count: number, currency: string): number {
  return unitsOf(fine(money), BigInt(count), digitsOf(currency));
}

function fine(money: Money): bigint {
  return typeof money === "number" ? BigInt(money) * FINE_PER_MICRO : money;
}

function unitsOf(amount: bigint, divisor: bigint, digits: number): number {
  const minor = divided(amount, divisor * 10n ** BigInt(FINE_DIGITS - digits));
  const text = (minor < 0n ? -minor : minor).toString().padStart(digits + 1, "0");
  const shown = Number(`${text.slice(0, text.length - digits)}.${text.slice(text.length - digits)}`);
  return minor < 0n ? -shown : shown;
}

/** A decimal text as an integer of 10⁻ᵈⁱᵍⁱᵗˢ, half to even. */
function scaled(text: string, digits: number): bigint {
  const [mantissa = "0", exponent = "0"] = text.toLowerCase().split("e");
  const isNegativeText = mantissa.startsWith("-");
  const [whole = "0", fraction = ""] = mantissa.replace("-", "").split(".");
  const shift = Number(exponent) - fraction.length + digits;
  const value = BigInt(whole + fraction);
  const amount = shift >= 0 ? value * 10n ** BigInt(shift) : divided(value, 10n ** BigInt(-shift));
  return isNegativeText ? -amount : amount;
}

/** Rounds half to even. */
function divided(value: bigint, divisor: bigint): bigint {
  const size = value < 0n ? -value : value;
  const quotient = size / divisor;
  const twice = (size % divisor) * 2n;
  const rounded = twice > divisor || (twice === divisor && (quotient & 1n) === 1n) ? quotient + 1n : quotient;
  return value < 0n ? -rounded : rounded;
}

/** Checks the application's rate for a currency on a day; undefined when it has none. @throws invalid_parameter (no number above 0) */
export function checkedRate(rate: number | undefined, from: string, to: string, day: string): number | undefined {
  if (rate === undefined || (typeof rate === "number" && Number.isFinite(rate) && rate > 0)) return rate;
  const reason = `expected a number above 0 for ${from} to ${to} on ${day}, got ${shown(rate)}`;
  throw new DaybookError("invalid_parameter", `rates: ${reason}`, { param: "rates", reason });
}
