import { AMOUNT_DIGITS } from "../../answer/money.js";
import { AMOUNT_KEYS, CURRENCY_KEY } from "../../derived/stored.js";
import type { RevenueRule } from "../../plan/plan.js";
import { keyColumn } from "../ingest/tagged-metadata.js";
import { joined, name, sql, text, texts, type Sql } from "../sql/sql.js";
import { TAG } from "../sql/tags.js";
import type { Needs } from "./needs.js";
import { ORDER_KEY } from "./order-key.js";

/** What is told in an event of an amount, a JSON number; `""` for what is no money. */
export function amountOf({ paymentSlugs, refundSlugs }: RevenueRule): Sql {
  const inMetadata = AMOUNT_KEYS.map((key, at) => {
    const value = sql`ifNull(metadata.${name(keyColumn(key))}.:String, '')`;
    const mayHold = at === 0 ? sql`` : sql`slug IN ${texts([...paymentSlugs, ...refundSlugs])} AND `;
    return sql`${mayHold}startsWith(${value}, ${text(TAG.number)}), substring(${value}, 2)`;
  });
  return sql`multiIf(value != '', value, ${joined(inMetadata, ", ")}, '')`;
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
 * id as a number), `day`, `amount` (a JSON number), `isRefund`, `isNegative`, `orderKey`, `currencies` (as they are told, the field's first), `who`,
 * and those of `rest`. Whoever asks turns amounts into money: what they are worth is not known here.
 * @param rest further columns, told by the rows that are needed for them
 */
export function allPaymentsOf(rule: RevenueRule, needs: Needs, rest: Sql): Sql {
  const isRefund = sql`slug IN ${texts(rule.refundSlugs)}`;
  const currency = sql`ifNull(metadata.${name(keyColumn(CURRENCY_KEY))}.:String, '')`;
  const size = sql`toFloat64OrZero(amount)`;
  const half = { type: "Float64", value: String(HALF) };
  const columns = sql`project, ms, toUInt128(id) AS num, day, ${amountOf(rule)} AS amount, ${isRefund} AS isRefund, ${ORDER_KEY} AS orderKey,
    [toString(currency), if(startsWith(${currency}, ${text(TAG.text)}), substring(${currency}, 2), '')] AS currencies, ${needs.who()} AS who,
    if(isRefund, abs(${size}) > ${half}, ${size} < -${half}) AS isNegative${rest}`;
  return sql`SELECT ${columns} FROM ${needs.rows()} WHERE amount != ''`;
}
