import { assert } from "../../base/assert.js";
import { numberOf } from "../../plan/filters/number-form.js";
import type { Test } from "../../plan/plan.js";
import { instantOfText } from "./instants.js";
import { allOf, float, sql, text, texts, whole, type Sql } from "./sql.js";
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
      return numberTest(value, (number) => orderTest(number, test.order, test.bound));
    case "numberBetween":
      return numberTest(value, (number) => sql`${number} >= ${float(test.low)} AND ${number} <= ${float(test.high)}`);
    case "instant":
      return instantTest(value, test.fromMs ?? -Infinity, test.toMs ?? Infinity);
  }
}

function instantTest(value: Sql, fromMs: number, toMs: number): Sql {
  return sql`ifNull(arrayMap(at -> at >= ${whole(fromMs)} AND at < ${whole(toMs)}, [${instantOfText(value)}])[1], false)`;
}

function orderTest(number: Sql, order: string, bound: number): Sql {
  switch (order) {
    case ">":
      return sql`${number} > ${float(bound)}`;
    case ">=":
      return sql`${number} >= ${float(bound)}`;
    case "<":
      return sql`${number} < ${float(bound)}`;
    default:
      assert(order === "<=", "an order is one of four");
      return sql`${number} <= ${float(bound)}`;
  }
}

function numberTest(value: Sql, holds: (number: Sql) => Sql): Sql {
  return allOf([isNumber(value), holds(sql`toFloat64OrZero(${value})`)]);
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
  const number = numberOf(value);
  return [
    TAG.text + value,
    ...(number === null ? [] : [TAG.number + JSON.stringify(number)]),
    ...(value === "true" || value === "false" ? [TAG.boolean + value] : []),
  ];
}
