import { AMOUNT_DIGITS } from "../../answer/money.js";
import type { RevenueRule } from "../../plan/plan.js";
import { joined, name, sql, Sql, text, texts, whole } from "../sql/sql.js";
import { MONEY_GROUP, MONEY_KIND, MONEY_MEMBERS } from "../tables/money.js";
import type { TableNames } from "../tables/names.js";
import { numOf } from "./place.js";
import type { Needs, RowSource } from "./needs.js";

/** Whether an event is money. */
export function isMoney({ paymentSlugs, refundSlugs }: RevenueRule): Sql {
  const ofPayments = sql`moneyKind = ${whole(MONEY_KIND.paymentOnly)} AND slug IN ${texts([...paymentSlugs, ...refundSlugs])}`;
  return sql`(moneyKind = ${whole(MONEY_KIND.anyEvent)} OR (${ofPayments}))`;
}

/** Events that are money with the columns that all payments have, and no others: the servers keep them beside the events. */
export function moneyRows(rule: RevenueRule, tables: TableNames): RowSource {
  const members = MONEY_MEMBERS.map((member) => sql`money.${name(member)} AS ${name(member)}`);
  const columns = new Sql([`slug, ${MONEY_GROUP}`], []);
  const gathered = sql`SELECT ${columns} FROM ${tables.all("events")} WHERE ${isMoney(rule)} GROUP BY ${columns}`;
  return { rows: sql`(SELECT ${columns}, ${joined(members, ", ")} FROM (${gathered}))`, isGathered: true };
}

/** Half of what amounts are exact to: what is no more becomes no amount at all. */
const HALF = 0.5 * 10 ** -AMOUNT_DIGITS;

/**
 * The payments that count, of all time: of those with one project and order key the first alone, of refunds with one project, order key and id of the
 * refund. Columns as of `allPaymentsOf`.
 * @param rest further columns, told by the rows that are needed for them
 */
export function paymentsOf(rule: RevenueRule, needs: Needs, rest: Sql): Sql {
  const own = sql`if(if(isRefund, refundOf, orderKey) = '', toString(num), '')`;
  return sql`${allPaymentsOf(rule, needs, rest)}
    ORDER BY ms, num LIMIT 1 BY project, orderKey, isRefund, refundOf, ${own}`;
}

/** Amounts of so few digits, before and behind the point, are summed exactly by the servers: 64 bits hold one, 128 a sum. */
const WHOLE_DIGITS = 9;
const SUMMED_DIGITS = 6;
const isShort = sql`match(amount, ${text(`^-?[0-9]{1,${WHOLE_DIGITS}}([.][0-9]{1,${SUMMED_DIGITS}})?$`)})`;
const short = sql`toDecimal64OrZero(amount, ${new Sql([String(SUMMED_DIGITS)], [])})`;

/**
 * Payments that are alike as one: those with short amounts of one sign by their sum, others by the amount that they have in common.
 * Columns: `keys`, then those of `PaymentColumns`, whose day is 0 where no rate is asked for. Days ascend: the first bad rate is refused.
 * @param keys names of columns that tell payments apart
 * @param payments a statement with these columns, and `amount`, `isRefund`, `currencies` and `day`
 */
export function addedUp(keys: readonly string[], payments: Sql, { currency }: RevenueRule): Sql {
  // No rate is asked for of the reporting currency, on whatever day.
  const rateDay = sql`if(arrayAll(one -> one IN ('', ${text(currency)}), currencies), 0, toInt64(day)) AS rateDay`;
  const alike = sql`multiIf(NOT (${isShort} AND ${short} != 0), amount, startsWith(amount, '-'), '-', '+') AS alike`;
  const columns = joined(keys.map((key) => sql`${name(key)}`), ", ");
  const isSum = sql`alike IN ('-', '+')`;
  return sql`SELECT ${columns}, if(${isSum}, toString(sum(${short})), alike), if(${isSum}, 1, count()), count(), isRefund, currencies, rateDay
    FROM (SELECT *, ${rateDay}, ${alike} FROM (${payments})) GROUP BY ${columns}, alike, isRefund, currencies, rateDay ORDER BY rateDay`;
}

/**
 * Every event that is money, whether or not it counts. Their columns are `project`, `ms`, `num` (what orders those of one ms), `day`, `amount` (a
 * JSON number), `isRefund` (negative, or named so), `orderKey`, `refundOf` (the id of a refund), `currencies` (as they are told, the field's first),
 * and those of `rest`. What amounts are worth in another currency is not known here.
 * @param needs of `moneyRows`, or where `rest` takes other columns of all events
 * @param rest further columns, told by the rows that are needed for them
 */
export function allPaymentsOf(rule: RevenueRule, needs: Needs, rest: Sql): Sql {
  const half = { type: "Float64", value: String(HALF) };
  const columns = sql`project, ms, ${numOf(sql`id`, sql`project`, needs.moment.tables)} AS num, day, money.amount AS amount,
    (slug IN ${texts(rule.refundSlugs)} OR toFloat64OrZero(amount) < -${half}) AS isRefund, money.orderKey AS orderKey, money.currencies AS currencies,
    if(isRefund, refundId, '') AS refundOf${rest}`;
  return sql`SELECT ${columns} FROM ${needs.rows()} WHERE ${isMoney(rule)}`;
}
