import { digitsOf } from "../../core/base/json-text.js";
import { compareNumeric, heldNumberOf, type Numeric } from "../../query/plan/filters/number-form.js";
import type { Order, Test } from "../../query/plan/plan.js";
import { instantOfText } from "./instants.js";
import { allOf, float, sql, text, texts, whole, type Bound, type Sql } from "./sql.js";
import { TAG } from "./tags.js";

/** A test of set values; the caller handles unset ones, and negation. */
type SetTest = Exclude<Test, { readonly op: "isSet" }>;

const NUMBER = "^-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$";

/** Whether an unset value passes, before negation. */
export function passesNotSet(test: Test): boolean {
  return test.op === "equals" && test.values.includes("");
}

/** Whether a non-empty text passes. */
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
      // `(?-s)`: in ClickHouse `.` matches a line end by default. `\z.` never matches; it stops the server from first searching a substring that it
      // believes every match to contain, which is wrong for some patterns: part of a letter for `café?`, part of a class for `[]a]`.
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

/** Compares doubles first: they are in the order of the numbers they approximate. Digits decide where both have the same double. */
function orderTest(value: Sql, order: Order, bound: Numeric): Sql {
  const number = sql`toFloat64OrZero(${value})`;
  const nearest = Number(bound);
  if (Math.abs(nearest) < 2 ** 53) return compared(number, order, float(nearest));
  const isDigits = sql`match(${value}, '^-?[0-9]+$')`;
  // Equal doubles have the same sign, and a text with a fraction or an exponent counts as its double.
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

/** Whether a text is a JSON number that does not overflow a double. */
export function isNumber(value: Sql): Sql {
  return sql`(match(${value}, ${text(NUMBER)}) AND isFinite(toFloat64OrZero(${value})))`;
}

/** Whether a tagged scalar or object of metadata passes. */
export function taggedTest(test: SetTest, value: Sql): Sql {
  if (test.op === "equals") return sql`${value} IN ${texts(test.values.flatMap(taggedTexts))}`;
  const body = sql`substring(${value}, 2)`;
  return allOf([sql`substring(${value}, 1, 1) IN ${texts(tagsOf(test))}`, textTest(test, body)]);
}

/** Text operators read numbers and booleans as their JSON text. */
function tagsOf({ op }: SetTest): string[] {
  if (op === "number" || op === "numberBetween") return [TAG.text, TAG.number];
  return op === "instant" ? [TAG.text] : [TAG.text, TAG.number, TAG.boolean];
}

/** The tagged values that equal the text of a filter. */
function taggedTexts(value: string): string[] {
  if (value === "") return [];
  const number = heldNumberOf(value);
  return [
    TAG.text + value,
    ...(number === null ? [] : [TAG.number + JSON.stringify(number)]),
    ...(value === "true" || value === "false" ? [TAG.boolean + value] : []),
  ];
}
