import { digitsOf } from "../../../core/base/json-text.js";

const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const integerForm = /^-?\d+$/;

/** The double nearest to a text in JSON number form; null for any other text and on overflow. */
export function numberOf(text: string): number | null {
  if (!numberForm.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/** A number to compare by size: a double, or the digits of an integer that no double represents. */
export type Numeric = number | string;

/** The number of a text in JSON number form; null for any other text and on overflow. */
export function numericOf(text: string): Numeric | null {
  const value = numberOf(text);
  const isHeld = value === null || Number.isSafeInteger(value) || !integerForm.test(text) || digitsOf(value) === text;
  return isHeld ? value : text;
}

/** The double that a text equals; null also for the digits of an integer that no double represents. */
export function heldNumberOf(text: string): number | null {
  const value = numericOf(text);
  return typeof value === "number" ? value : null;
}

/** Below 0 if `a` is less than `b`, above 0 if it is greater. Rounding preserves order, so digits decide only between equal doubles. */
export function compareNumeric(a: Numeric, b: Numeric): number {
  const [first, second] = [Number(a), Number(b)];
  if (first !== second || a === b) return first - second;
  const [left, right] = [integerOf(a), integerOf(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function integerOf(value: Numeric): bigint {
  return BigInt(typeof value === "number" ? digitsOf(value) : value);
}
