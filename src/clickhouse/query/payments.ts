import { AMOUNT_DIGITS } from "../../query/answer/money.js";
import type { RevenueRule } from "../../query/plan/plan.js";
import { float, joined, name, raw, sql, text, texts, whole, type Sql } from "../sql/sql.js";
import { MONEY_GROUP, MONEY_KIND, MONEY_MEMBERS, type TableNames } from "../tables/layout.js";
import { tieBreakerOf } from "./event-columns.js";
import type { RequiredJoins, RowSource } from "./required-joins.js";

export function isMoney({ paymentSlugs, refundSlugs }: RevenueRule): Sql {
  const ofPayments = sql`moneyKind = ${whole(MONEY_KIND.paymentOnly)} AND slug IN ${texts([...paymentSlugs, ...refundSlugs])}`;
  return sql`(moneyKind = ${whole(MONEY_KIND.anyEvent)} OR (${ofPayments}))`;
}

/** Payments and refunds with the payment columns and no others: grouped as the servers keep them. */
export function moneyRows(rule: RevenueRule, tables: TableNames): RowSource {
  const members = MONEY_MEMBERS.map((member) => sql`money.${name(member)} AS ${name(member)}`);
  const columns = raw(`slug, ${MONEY_GROUP}`);
  const gathered = sql`SELECT ${columns} FROM ${tables.all("events")} WHERE ${isMoney(rule)} GROUP BY ${columns}`;
  return { rows: sql`(SELECT ${columns}, ${joined(members, ", ")} FROM (${gathered}))`, isGathered: true };
}

/** Half the precision of amounts: anything smaller rounds to zero. */
const HALF = 0.5 * 10 ** -AMOUNT_DIGITS;

/** Those that count, of all time: the first of each project and order key; of refunds also of each refund id. Columns as in `allPaymentsOf`. */
export function paymentsOf(rule: RevenueRule, needs: RequiredJoins, rest: Sql): Sql {
  const own = sql`if(if(isRefund, refundOf, orderKey) = '', toString(num), '')`;
  return sql`${allPaymentsOf(rule, needs, rest)}
    ORDER BY ms, num LIMIT 1 BY project, orderKey, isRefund, refundOf, ${own}`;
}

/** Digits before and after the point of amounts that the servers sum exactly: 64 bits hold an amount, 128 a sum. */
const WHOLE_DIGITS = 9;
const SUMMED_DIGITS = 6;
const isShort = sql`match(amount, ${text(`^-?[0-9]{1,${WHOLE_DIGITS}}([.][0-9]{1,${SUMMED_DIGITS}})?$`)})`;
const short = sql`toDecimal64OrZero(amount, ${raw(String(SUMMED_DIGITS))})`;

/**
 * Groups similar payments: short amounts of one sign as their sum, others by equal amount. Columns: `keys`, then those of a group, with day
 * 0 where no rate is needed. Days ascend, so that the first bad rate is refused.
 * @param keys names of columns to group by
 * @param payments a statement with these columns, and `amount`, `isRefund`, `currencies` and `day`
 */
export function groupedPayments(keys: readonly string[], payments: Sql, { currency }: RevenueRule): Sql {
  // The reporting currency needs no rate, on any day.
  const rateDay = sql`if(arrayAll(one -> one IN ('', ${text(currency)}), currencies), 0, toInt64(day)) AS rateDay`;
  const alike = sql`multiIf(NOT (${isShort} AND ${short} != 0), amount, startsWith(amount, '-'), '-', '+') AS alike`;
  const columns = joined(keys.map((key) => sql`${name(key)}`), ", ");
  const isSum = sql`alike IN ('-', '+')`;
  return sql`SELECT ${columns}, if(${isSum}, toString(sum(${short})), alike), if(${isSum}, 1, count()), count(), isRefund, currencies, rateDay
    FROM (SELECT *, ${rateDay}, ${alike} FROM (${payments})) GROUP BY ${columns}, alike, isRefund, currencies, rateDay ORDER BY rateDay`;
}

/**
 * Every payment and refund, whether or not it counts. Columns: `project`, `ms`, `num` (the order within one ms), `day`, `amount` (a JSON number),
 * `isRefund` (negative, or by its slug), `orderKey`, `refundOf` (the id of a refund), `currencies` (as sent, the field's first), and those of `rest`.
 * Amounts are not converted.
 * @param needs of `moneyRows`, or of all events where `rest` uses other columns
 * @param rest further columns, computed from the rows of `needs`
 */
export function allPaymentsOf(rule: RevenueRule, needs: RequiredJoins, rest: Sql): Sql {
  const columns = sql`project, ms, ${tieBreakerOf(needs.context.tables)} AS num, day, money.amount AS amount,
    (slug IN ${texts(rule.refundSlugs)} OR toFloat64OrZero(amount) < -${float(HALF)}) AS isRefund, money.orderKey AS orderKey, money.currencies AS currencies,
    if(isRefund, refundId, '') AS refundOf${rest}`;
  return sql`SELECT ${columns} FROM ${needs.rows()} WHERE ${isMoney(rule)}`;
}
