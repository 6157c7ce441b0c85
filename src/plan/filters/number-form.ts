import { digitsOf } from "../../base/json-text.js";

const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const integerForm = /^-?\d+$/;

/** The double nearest to what a text in JSON number form stands for; null for any other text and for what overflows. */
export function numberOf(text: string): number | null {
  if (!numberForm.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/** What a comparison by size goes by: a double, or the digits of an integer that no double holds. */
export type Numeric = number | string;

/** What a text in JSON number form stands for; null for any other text and for what overflows. */
export function numericOf(text: string): Numeric | null {
  const value = numberOf(text);
  const isHeld = value === null || Number.isSafeInteger(value) || !integerForm.test(text) || digitsOf(value) === text;
  return isHeld ? value : text;
}

/** The double that a text equals; null also for the digits of an integer that no double holds. */
export function heldNumberOf(text: string): number | null {
  const value = numericOf(text);
  return typeof value === "number" ? value : null;
}

/** Below 0 where `a` is less than `b`, above 0 where it is greater. Rounding keeps order, so digits decide among equal doubles alone. */
export function compareNumeric(a: Numeric, b: Numeric): number {
  const [first, second] = [Number(a), Number(b)];
  if (first !== second || a === b) return first - second;
  const [left, right] = [integerOf(a), integerOf(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function integerOf(value: Numeric): bigint {
  return BigInt(typeof value === "number" ? digitsOf(value) : value);
}
