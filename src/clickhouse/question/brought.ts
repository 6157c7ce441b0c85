import type { RevenueRule, TouchDimension, TouchRule } from "../../plan/plan.js";
import { NO_TOUCH, NOT_SET } from "../../answer/visits/web-figures.js";
import { joined, sql, text, whole, type Sql } from "../sql/sql.js";
import { nearestTouch, touchesBy, type TouchModel } from "./nearest-touch.js";
import type { TableNames } from "../tables/names.js";
import type { Needs, Source } from "./needs.js";
import { allPaymentsOf, moneyRows, paymentsOf } from "./payments.js";
import { touchOf } from "./touch.js";

const DIMENSIONS: readonly TouchDimension[] = ["source", "medium", "campaign"];

/** The label that attribution would give an event as a payment of its identity: that of a refund is its order's, where that is known. */
export function broughtBy(model: TouchModel, dimension: TouchDimension, needs: Needs): Sql {
  needs.touches();
  const own = nearestTouch(model, needs.touch, sql`ms`, sql`toUInt128(id)`);
  const found = sql`if(isReturn, ${model === "first_touch" ? sql`firstOfOrder` : sql`lastOfOrder`}, ${own})`;
  const value = sql`${found}[${whole(DIMENSIONS.indexOf(dimension) + 1)}]`;
  return sql`multiIf(empty(${found}), ${text(NO_TOUCH[dimension])}, ${value} = '', ${text(NOT_SET)}, ${value})`;
}

/** Of everybody who was brought, as `broughtWho`, all `touches` in order: what they are called by each dimension. */
export function touchesOfPeople(rule: TouchRule, needs: Needs): Sql {
  const who = needs.who();
  const told = sql`[${joined(DIMENSIONS.map((dimension) => touchOf(dimension, rule)), ", ")}]`;
  return touchesBy(sql`broughtWho`, sql`[${who}]`, told, sql`broughtWho != ''`, rule, needs);
}

/** Refunds whose orders are known, by `refundNum`, and who brought those who paid: whichever of several refunds of an order counts. */
export function returnsOf(revenue: RevenueRule, touch: TouchRule, newNeeds: (source?: Source) => Needs, tables: TableNames): Sql {
  const ofMoney = () => newNeeds(moneyRows(revenue, tables));
  const refunds = sql`SELECT num AS refundNum, project AS refundProject, orderKey AS refundKey FROM (${allPaymentsOf(revenue, ofMoney(), sql``)})
    WHERE isNegative AND orderKey != ''`;
  const orders = sql`SELECT project AS paidProject, orderKey AS paidKey, ms AS paidMs, num AS paidNum, who AS payer
    FROM (${paymentsOf(revenue, ofMoney(), sql``)}) WHERE NOT isNegative AND orderKey != ''`;
  const of = (model: TouchModel) => nearestTouch(model, touch, sql`paidMs`, sql`paidNum`);
  return sql`SELECT refundNum, true AS isReturn, ${of("first_touch")} AS firstOfOrder, ${of("last_touch")} AS lastOfOrder
    FROM (${refunds}) AS refunds
    GLOBAL INNER JOIN (${orders}) AS orders ON refundProject = paidProject AND refundKey = paidKey
    GLOBAL ANY LEFT JOIN (${touchesOfPeople(touch, newNeeds())}) AS brought ON broughtWho = payer`;
}
