import { LIMITS } from "../../core/base/limits.js";
import { sql, text, whole, allOf, float, texts, type Sql, type Bound } from "./sql.js";
import { digitsOf } from "../../core/base/json-text.js";
import { compareNumeric, heldNumberOf, type Numeric } from "../../query/plan/filters/number-form.js";
import type { Order, Test } from "../../query/plan/plan.js";

/** What `parseTimestamp` and `parseDateOnly` accept, with groups for date, time and zone. */
const INSTANT = "^(\\d{4})-(\\d{2})-(\\d{2})(?:[Tt](\\d{2}):(\\d{2}):(\\d{2})(?:\\.(\\d+))?(?:[Zz]|([+-])(\\d{2}):(\\d{2})))?$";
const MONTH_DAYS = sql`[31, if(y % 4 = 0 AND (y % 100 != 0 OR y % 400 = 0), 29, 28), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]`;

/** Days since 1970-01-01 of year `y`, month `m` and day `d`, in the proleptic Gregorian calendar: ClickHouse's date types end in the year 2299. */
const DAY_OF_DATE = sql`(
  arrayMap((e, n) -> 146097 * intDiv(e, 400) + 365 * (e % 400) + intDiv(e % 400, 4) - intDiv(e % 400, 100) + n - 719468,
    [y - (m <= 2)], [intDiv(153 * (m + if(m > 2, -3, 9)) + 2, 5) + d - 1])[1])`;

/** Epoch ms of a text that is an instant or a date; null for any other text. */
export function instantOfText(value: Sql): Sql {
  const number = (at: number) => sql`toInt64OrZero(g[${whole(at)}])`;
  const time = sql`${number(4)} * 3600000 + (${number(5)} - if(g[8] = '-', -1, 1) * (${number(9)} * 60 + ${number(10)})) * 60000 + ${number(6)} * 1000
    + toInt64OrZero(rightPad(substring(g[7], 1, 3), 3, '0'))`;
  const isTime = sql`${number(4)} <= 23 AND ${number(5)} <= 59 AND ${number(6)} <= 59 AND ${number(9)} <= 23 AND ${number(10)} <= 59`;
  const ofDate = sql`arrayMap((y, m, d) -> if(y >= 1970 AND m BETWEEN 1 AND 12 AND d BETWEEN 1 AND ${MONTH_DAYS}[m], ${DAY_OF_DATE} * 86400000, NULL),
    [${number(1)}], [${number(2)}], [${number(3)}])[1]`;
  const ms = sql`(${ofDate}) + ${time}`;
  const valid = sql`if(ms >= 0 AND ms < ${whole(LIMITS.instantMaxMs)}, ms, NULL)`;
  const ofGroups = sql`arrayMap(g -> if(notEmpty(g) AND ${isTime}, arrayMap(ms -> ${valid}, [${ms}])[1], NULL),
    [extractGroups(${value}, ${text(INSTANT)})])[1]`;
  return sql`(${ofGroups})`;
}

/** Epoch ms as the ISO text that answers show. */
export function isoTextOf(ms: Sql): Sql {
  const two = (number: Sql) => sql`leftPad(toString(${number}), 2, '0')`;
  const date = sql`arrayMap(z -> arrayMap((era, doe) -> arrayMap((yoe) -> arrayMap((doy) -> arrayMap((mp) -> concat(
      leftPad(toString(yoe + era * 400 + (mp >= 10)), 4, '0'), '-', ${two(sql`if(mp < 10, mp + 3, mp - 9)`)}, '-',
      ${two(sql`doy - intDiv(153 * mp + 2, 5) + 1`)}),
      [intDiv(5 * doy + 2, 153)])[1], [doe - (365 * yoe + intDiv(yoe, 4) - intDiv(yoe, 100))])[1],
      [intDiv(doe - intDiv(doe, 1460) + intDiv(doe, 36524) - intDiv(doe, 146096), 365)])[1],
      [intDiv(z, 146097)], [z % 146097])[1], [intDiv(toInt64(${ms}), 86400000) + 719468])[1]`;
  const part = (unitMs: number, count: number) => two(sql`intDiv(toInt64(${ms}), ${whole(unitMs)}) % ${whole(count)}`);
  const clock = sql`concat('T', ${part(3_600_000, 24)}, ':', ${part(60_000, 60)}, ':', ${part(1_000, 60)}, '.',
    leftPad(toString(${ms} % 1000), 3, '0'), 'Z')`;
  return sql`concat(${date}, ${clock})`;
}

/** The prefix of a metadata value, so that missing, null, `""`, 5 and "5" differ; after that of an array or object its JSON text as sent. */
export const TAG = { text: "s", number: "n", boolean: "b", null: "z", array: "a", object: "o" } as const;

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
      return matchesPattern(test.pattern, value);
    case "number":
      return numberTest(value, [orderTest(value, test.order, test.bound)]);
    case "numberBetween":
      return numberTest(value, [orderTest(value, ">=", test.low), orderTest(value, "<=", test.high)]);
    case "instant":
      return instantTest(value, test.fromMs ?? -Infinity, test.toMs ?? Infinity);
  }
}

/**
 * Whether a text matches. `(?-s)`: in ClickHouse `.` matches a line end by default. `\\z.` never matches; it stops the server from first searching a
 * substring that it believes every match to contain, which is wrong for some patterns: part of a letter for `café?`, part of a class for `[]a]`.
 */
export function matchesPattern(pattern: string, value: Sql): Sql {
  return sql`match(${value}, ${text(`(?-s)\\z.|${pattern}`)})`;
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

const ORDERS: Readonly<Record<Order, Sql>> = { ">": sql`>`, ">=": sql`>=`, "<": sql`<`, "<=": sql`<=` };

function compared(left: Sql | Bound, order: Order, right: Sql | Bound): Sql {
  return sql`${left} ${ORDERS[order]} ${right}`;
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
