import { LIMITS } from "../../core/base/limits.js";
import { sql, text, whole, type Sql } from "./sql.js";

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
