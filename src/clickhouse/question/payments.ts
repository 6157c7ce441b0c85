import { AMOUNT_DIGITS } from "../../answer/money.js";
import type { RevenueRule } from "../../plan/plan.js";
import { joined, name, sql, texts, whole, type Sql } from "../sql/sql.js";
import { MONEY_KIND, MONEY_MEMBERS } from "../tables/money.js";
import type { TableNames } from "../tables/names.js";
import type { Needs, Source } from "./needs.js";

/** Whether an event is money. */
export function isMoney({ paymentSlugs, refundSlugs }: RevenueRule): Sql {
  const ofPayments = sql`moneyKind = ${whole(MONEY_KIND.paymentOnly)} AND slug IN ${texts([...paymentSlugs, ...refundSlugs])}`;
  return sql`(moneyKind = ${whole(MONEY_KIND.anyEvent)} OR (${ofPayments}))`;
}

/** Events that are money with the columns that all payments have, and no others: the servers keep them beside the events. */
export function moneyRows(rule: RevenueRule, tables: TableNames): Source {
  const members = MONEY_MEMBERS.map((member) => sql`money.${name(member)} AS ${name(member)}`);
  const gathered = sql`SELECT moneyKind, slug, money FROM ${tables.all("events")} WHERE ${isMoney(rule)} GROUP BY moneyKind, slug, money`;
  return { rows: sql`(SELECT moneyKind, slug, money, ${joined(members, ", ")} FROM (${gathered}))`, isGathered: true };
}

/** Half of what amounts are exact to: what is no more becomes no amount at all. */
const HALF = 0.5 * 10 ** -AMOUNT_DIGITS;

/**
 * The payments that count, of all time: of those with one project, order key and sign the first alone. Columns as of `allPaymentsOf`.
 * @param rest further columns, told by the rows that are needed for them
 */
export function paymentsOf(rule: RevenueRule, needs: Needs, rest: Sql): Sql {
  return sql`${allPaymentsOf(rule, needs, rest)}
    ORDER BY ms, num LIMIT 1 BY project, if(orderKey = '', concat('-', toString(num)), concat('+', orderKey)), isNegative`;
}

/**
 * Every event that is money, whether or not it counts. Their columns are `project`, `ms`, `num` (the
 * id as a number), `day`, `amount` (a JSON number), `isRefund`, `isNegative`, `orderKey`, `currencies` (as they are told, the field's first),
 * and those of `rest`. Whoever asks turns amounts into money: what they are worth is not known here.
 * @param needs of `moneyRows`, or where `rest` takes other columns of all events
 * @param rest further columns, told by the rows that are needed for them
 */
export function allPaymentsOf(rule: RevenueRule, needs: Needs, rest: Sql): Sql {
  const isRefund = sql`slug IN ${texts(rule.refundSlugs)}`;
  const size = sql`toFloat64OrZero(amount)`;
  const half = { type: "Float64", value: String(HALF) };
  const columns = sql`project, ms, toUInt128(id) AS num, day, money.amount AS amount, ${isRefund} AS isRefund, money.orderKey AS orderKey,
    money.currencies AS currencies, if(isRefund, abs(${size}) > ${half}, ${size} < -${half}) AS isNegative${rest}`;
  return sql`SELECT ${columns} FROM ${needs.rows()} WHERE ${isMoney(rule)}`;
}
