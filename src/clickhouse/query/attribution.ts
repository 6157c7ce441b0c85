import type { RevenueRule, TouchDimension, TouchRule } from "../../query/plan/plan.js";
import { NO_TOUCH, NOT_SET } from "../../query/answer/visits/session-figures.js";
import { joined, name, sql, text, whole, type Sql } from "../sql/sql.js";
import { nearestTouch, touchOf, type TouchModel, type TouchRows } from "./touch.js";
import type { QueryContext, Needs, RowSource } from "./needs.js";
import { rowsByIds } from "./who.js";
import { tieBreakerOf, placeOf } from "./event-columns.js";
import { allPaymentsOf, moneyRows, paymentsOf } from "./payments.js";

const DIMENSIONS: readonly TouchDimension[] = ["source", "medium", "campaign"];

/** SQL for the attribution of a row: the touch of its identity by then, or for a refund of a known order that of the payer. */
export interface TouchAttribution {
  readonly joins: Sql;
  /** The labels of the touch by dimension; empty without one. */
  readonly told: Sql;
}

/** The label that attribution gives an event as a payment of its identity; a refund gets that of its order, where known. */
export function attributedLabel(model: TouchModel, dimension: TouchDimension, needs: Needs): Sql {
  const found = needs.touches(model);
  const value = sql`${found}[${whole(DIMENSIONS.indexOf(dimension) + 1)}]`;
  return sql`multiIf(empty(${found}), ${text(NO_TOUCH[dimension])}, ${value} = '', ${text(NOT_SET)}, ${value})`;
}

/** The attribution of rows of events. @param who SQL for a row's identity */
export function attributionOf(model: TouchModel, who: Sql, moment: QueryContext, newNeeds: (source?: RowSource) => Needs): TouchAttribution {
  const { touch, revenue, tables } = moment;
  const touches = touchesOfPeople(moment, newNeeds);
  const num = tieBreakerOf(sql`events.id`, sql`events.project`, tables);
  const place = placeOf(sql`events.ms`, num);
  const own = nearestTouch(model, touch, touches, { key: who, ms: sql`events.ms`, place }, "Own");
  const returned = name(`${model}_returned`);
  const told = sql`if(${returned}.isReturn, ${returned}.toldOfOrder, ${own.told})`;
  const returns = returnsOf(model, revenue, touch, touches, () => newNeeds(moneyRows(revenue, tables)));
  return { told, joins: sql`${own.joins} GLOBAL ANY LEFT JOIN (${returns}) AS ${returned} ON ${returned}.refundNum = ${num}` };
}

/** All touches of all people, with their labels by dimension. */
function touchesOfPeople(moment: QueryContext, newNeeds: (source?: RowSource) => Needs): TouchRows {
  const told = sql`[${joined(DIMENSIONS.map((dimension) => touchOf(dimension, moment.touch)), ", ")}]`;
  const byActor = (columns: Sql, where: Sql) => rowsByIds(moment.tables, columns, where);
  return { newNeeds, byActor, tables: moment.tables, keyOf: (needs) => needs.who(), told, isMeant: sql`true` };
}

/** Refunds of known orders, by `refundNum`, with the touch of their payer. Covers all refunds of an order, whichever of them counts. */
function returnsOf(model: TouchModel, revenue: RevenueRule, touch: TouchRule, touches: TouchRows, ofMoney: () => Needs): Sql {
  const refunds = sql`SELECT num AS refundNum, project AS refundProject, orderKey AS refundKey FROM (${allPaymentsOf(revenue, ofMoney(), sql``)})
    WHERE isRefund AND orderKey != ''`;
  const needs = ofMoney();
  const orders = sql`SELECT project AS paidProject, orderKey AS paidKey, ms AS paidMs, ${placeOf(sql`ms`, sql`num`)} AS paidPlace, payer
    FROM (${paymentsOf(revenue, needs, sql`, ${needs.who()} AS payer`)}) WHERE NOT isRefund AND orderKey != ''`;
  const { joins, told } = nearestTouch(model, touch, touches, { key: sql`payer`, ms: sql`paidMs`, place: sql`paidPlace` }, "OfOrder");
  return sql`SELECT refundNum, true AS isReturn, ${told} AS toldOfOrder
    FROM (${refunds}) AS refunds
    GLOBAL INNER JOIN (${orders}) AS orders ON refundProject = paidProject AND refundKey = paidKey
    ${joins}`;
}
