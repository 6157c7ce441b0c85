import { digitsOf } from "../../base/json-text.js";
import { compareNumeric, heldNumberOf, type Numeric } from "../../plan/filters/number-form.js";
import type { Order, Test } from "../../plan/plan.js";
import { instantOfText } from "./instants.js";
import { allOf, float, sql, text, texts, whole, type Bound, type Sql } from "./sql.js";
import { TAG } from "./tags.js";

/** A test over values that are set; whoever asks decides about those that are not, and negates. */
type SetTest = Exclude<Test, { readonly op: "isSet" }>;

const NUMBER = "^-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$";

/** Whether a value that is not set passes, before the negation. */
export function passesNotSet(test: Test): boolean {
  return test.op === "equals" && test.values.includes("");
}

/** Whether a text that is not `""` passes. */
export function textTest(test: SetTest, value: Sql): Sql {
  switch (test.op) {
    case "equals":
      return sql`${value} IN ${texts(test.values)}`;
    case "contains":
      return sql`position(lowerUTF8(${value}), ${text(test.text.toLowerCase())}) > 0`;
    case "startsWith":
      return sql`startsWith(lowerUTF8(${value}), ${text(test.text.toLowerCase())})`;
    case "endsWith":
      return sql`endsWith(lowerUTF8(${value}), ${text(test.text.toLowerCase())})`;
    case "regex":
      // There `.` takes the end of a line too, unless it is told not to. What never matches keeps the server from looking for a text that it takes
      // every match to hold first: of `café?` it takes a part of a letter for one, and of `[]a]` what is no class.
      return sql`match(${value}, ${text(`(?-s)\\z.|${test.pattern}`)})`;
    case "number":
      return numberTest(value, [orderTest(value, test.order, test.bound)]);
    case "numberBetween":
      return numberTest(value, [orderTest(value, ">=", test.low), orderTest(value, "<=", test.high)]);
    case "instant":
      return instantTest(value, test.fromMs ?? -Infinity, test.toMs ?? Infinity);
  }
}

function instantTest(value: Sql, fromMs: number, toMs: number): Sql {
  return sql`ifNull(arrayMap(at -> at >= ${whole(fromMs)} AND at < ${whole(toMs)}, [${instantOfText(value)}])[1], false)`;
}

/** Doubles are in the order of what they are nearest to: digits decide where both have the same one. */
function orderTest(value: Sql, order: Order, bound: Numeric): Sql {
  const number = sql`toFloat64OrZero(${value})`;
  const nearest = Number(bound);
  if (Math.abs(nearest) < 2 ** 53) return compared(number, order, float(nearest));
  const isDigits = sql`match(${value}, '^-?[0-9]+$')`;
  // Of equal doubles the sign is the same, and so is what a text with a fraction or an exponent stands for.
  const sizes = (digits: Sql | Bound) => sql`(length(${digits}), toString(${digits}))`;
  const digits = text(typeof bound === "number" ? digitsOf(bound) : bound);
  const [left, right] = nearest < 0 ? [sizes(digits), sizes(value)] : [sizes(value), sizes(digits)];
  const ofEqual = sql`if(${isDigits}, ${compared(left, order, right)}, ${compared(float(compareNumeric(nearest, bound)), order, float(0))})`;
  return sql`if(${number} = ${float(nearest)}, ${ofEqual}, ${compared(number, order, float(nearest))})`;
}

function compared(left: Sql | Bound, order: Order, right: Sql | Bound): Sql {
  switch (order) {
    case ">":
      return sql`${left} > ${right}`;
    case ">=":
      return sql`${left} >= ${right}`;
    case "<":
      return sql`${left} < ${right}`;
    case "<=":
      return sql`${left} <= ${right}`;
  }
}

function numberTest(value: Sql, holds: readonly Sql[]): Sql {
  return allOf([isNumber(value), ...holds]);
}

/** Whether a text stands for a number as JSON writes it, and not for one that overflows. */
export function isNumber(value: Sql): Sql {
  return sql`(match(${value}, ${text(NUMBER)}) AND isFinite(toFloat64OrZero(${value})))`;
}

/** Whether a scalar, or an object, of metadata passes: a tag and its text. */
export function taggedTest(test: SetTest, value: Sql): Sql {
  if (test.op === "equals") return sql`${value} IN ${texts(test.values.flatMap(taggedTexts))}`;
  const body = sql`substring(${value}, 2)`;
  return allOf([sql`substring(${value}, 1, 1) IN ${texts(tagsOf(test))}`, textTest(test, body)]);
}

/** Text operators see numbers and booleans as their JSON text. */
function tagsOf({ op }: SetTest): string[] {
  if (op === "number" || op === "numberBetween") return [TAG.text, TAG.number];
  return op === "instant" ? [TAG.text] : [TAG.text, TAG.number, TAG.boolean];
}

/** The tagged values that equal a text of a filter. */
function taggedTexts(value: string): string[] {
  if (value === "") return [];
  const number = heldNumberOf(value);
  return [
    TAG.text + value,
    ...(number === null ? [] : [TAG.number + JSON.stringify(number)]),
    ...(value === "true" || value === "false" ? [TAG.boolean + value] : []),
  ];
}
