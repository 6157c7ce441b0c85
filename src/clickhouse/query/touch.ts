import { NO_TOUCH, NOT_SET } from "../../query/answer/visits/visits.js";
import type { HostList, TouchDimension, TouchRule } from "../../query/plan/plan.js";
import { SECOND_LEVELS } from "../../query/plan/report-rules.js";
import { anyOf, EMPTY, joined, shortLists, sql, text, texts, name, whole, type Sql, type Bound } from "../sql/sql.js";
import { msOfPlace, placeOf, rowSortKey, rowsByIds, tieBreakerOf } from "./event-columns.js";
import { Needs, type QueryContext, type RowJoin, type RowSource } from "./needs.js";
import { allPaymentsOf, moneyRows, paymentsOf } from "./payments.js";

/** The dimensions of touches, in the order of their labels in a list. */
export const TOUCH_DIMENSIONS: readonly TouchDimension[] = ["source", "medium", "campaign"];

/** Whether an event has a touch: a campaign, or a referrer that counts. */
export function isTouch(rule: TouchRule): Sql {
  return sql`(isCampaign OR (touchHost != '' AND NOT ${isAmong(rule.excludedHosts)}))`;
}

/** The same for revenue, where sign-in hosts do not count: the payer had come before signing in. */
function takesRevenue(rule: TouchRule): Sql {
  return sql`(isCampaign OR (touchHost != '' AND NOT ${isAmong(rule.excludedHosts)} AND NOT ${isAmong(rule.signInHosts)}))`;
}

/** A dimension of the touch; `""` without a touch, or where it does not have the dimension. */
export function touchOf(dimension: TouchDimension, rule: TouchRule): Sql {
  if (dimension === "campaign") return sql`toString(touchCampaign)`;
  const campaign = dimension === "source" ? sql`toString(touchSource)` : sql`toString(touchMedium)`;
  const { signInHosts, searchHosts, socialHosts } = rule;
  const medium = sql`multiIf(${isAmong(signInHosts)}, 'referral', ${isAmong(searchHosts)}, 'organic', ${isAmong(socialHosts)}, 'social', 'referral')`;
  const ofReferrer = sql`if(${isTouch(rule)}, ${dimension === "source" ? sql`toString(touchHost)` : medium}, '')`;
  return sql`if(isCampaign, ${campaign}, ${ofReferrer})`;
}

/** Whether the host is listed. Domains are patterns, which a server matches once per distinct host, not per row. */
function isAmong({ hosts, domains }: HostList): Sql {
  const alone = hosts.length === 0 ? [] : [sql`touchHost IN ${texts(hosts)}`];
  const ends = domains.map((domain) => (domain.endsWith(".*") ? `${escaped(domain.slice(0, -2))}${ANY_ENDING}` : escaped(domain)));
  return anyOf([...alone, ...shortLists(ends).map((some) => sql`match(touchHost, ${text(`(?:^|\\.)(?:${some.join("|")})$`)})`)]);
}

const ANY_ENDING = `\\.(?:(?:${SECOND_LEVELS.join("|")})\\.[a-z]{2}|[^.]+)`;

function escaped(host: string): string {
  return host.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

type TouchModel = "first_touch" | "last_touch";

/** SQL for touches, with their keys and values; a value is never empty. */
export interface TouchRows {
  readonly context: QueryContext;
  /** The key of a row, a text; `""` for none. An `arrayJoin` gives several. */
  keyOf(needs: Needs): Sql;
  readonly told: Sql;
  /** Selects by `key`. */
  readonly isMeant: Sql;
  /** Groups events into few rows with the same keys. @param columns aggregates */
  byActor(columns: Sql, where: Sql): RowSource;
}

/** SQL for what is attributed to a touch: its key, and its time as ms and as `placeOf` number. */
interface AttributedRows {
  readonly key: Sql;
  readonly ms: Sql;
  readonly place: Sql;
}

/** SQL to follow the rows of `AttributedRows`, and the value of each one's touch; empty without a touch. */
interface Nearest {
  readonly joins: Sql;
  readonly told: Sql;
}

/** The first or last touch that is no later, within the lookback time. @param called distinguishes several in one statement */
export function nearestTouch(model: TouchModel, touches: TouchRows, owed: AttributedRows, called = ""): Nearest {
  return model === "first_touch" ? firstTouch(touches, owed, name(`first${called}`)) : lastTouch(touches, owed, name(`last${called}`));
}

function firstTouch(touches: TouchRows, { key, ms, place }: AttributedRows, of: Bound): Nearest {
  const { lookbackMs } = touches.context.touch;
  if (lookbackMs !== null) {
    const told = toldIf(sql`${of}.touchPlace <= ${place}`, sql`${of}.told`);
    const from = placeOf(sql`greatest(toInt64(${ms}) - ${whole(lookbackMs)}, 0)`, sql`toUInt256(0)`);
    return { joins: sql`GLOBAL ASOF LEFT JOIN (${touchesOf(touches)}) AS ${of} ON ${of}.key = ${key} AND ${of}.touchPlace >= ${from}`, told };
  }
  const first = sql`SELECT key, min(touchPlace) AS firstPlace, argMin(told, touchPlace) AS firstTold FROM (${firstOfActors(touches)}) GROUP BY key`;
  const told = toldIf(sql`${of}.firstPlace <= ${place}`, sql`${of}.firstTold`);
  return { joins: sql`GLOBAL ANY LEFT JOIN (${first}) AS ${of} ON ${of}.key = ${key}`, told };
}

function lastTouch(touches: TouchRows, { key, ms, place }: AttributedRows, of: Bound): Nearest {
  const { lookbackMs } = touches.context.touch;
  const joins = sql`GLOBAL ASOF LEFT JOIN (${touchesOf(touches)}) AS ${of} ON ${of}.key = ${key} AND ${of}.touchPlace <= ${place}`;
  if (lookbackMs === null) return { joins, told: sql`${of}.told` };
  const isRecent = sql`toInt64(${ms}) - ${msOfPlace(sql`${of}.touchPlace`)} <= ${whole(lookbackMs)}`;
  return { joins, told: toldIf(isRecent, sql`${of}.told`) };
}

/** Otherwise an empty value of the same type. */
function toldIf(condition: Sql, told: Sql): Sql {
  return sql`if(${condition}, ${told}, arrayFirst(one -> false, [${told}]))`;
}

function touchesOf({ context, keyOf, told, isMeant }: TouchRows): Sql {
  const needs = new Needs(context);
  const key = keyOf(needs);
  return sql`SELECT key, touchPlace, told
    FROM (SELECT ${key} AS key, ${rowSortKey(context.tables)} AS touchPlace, ${told} AS told FROM ${needs.rows()} WHERE ${takesRevenue(context.touch)})
    WHERE key != '' AND ${isMeant}`;
}

/** The first touch of each actor: these are few, so that keys are computed for them only. */
function firstOfActors({ context, keyOf, told, isMeant, byActor }: TouchRows): Sql {
  const place = rowSortKey(context.tables);
  const needs = new Needs(context, byActor(sql`min(${place}) AS firstPlace, argMin(${told}, ${place}) AS firstTold`, takesRevenue(context.touch)));
  const key = keyOf(needs);
  return sql`SELECT key, touchPlace, told FROM (SELECT ${key} AS key, firstPlace AS touchPlace, firstTold AS told FROM ${needs.rows()})
    WHERE key != '' AND ${isMeant}`;
}

/** The label that attribution gives an event as a payment of its identity; a refund gets that of its order, where known. */
export function attributedLabel(model: TouchModel, dimension: TouchDimension, needs: Needs): Sql {
  const who = needs.who();
  const [found = EMPTY] = needs.join(model, () => attributionOf(model, who, needs.context));
  const value = sql`${found}[${whole(TOUCH_DIMENSIONS.indexOf(dimension) + 1)}]`;
  return sql`multiIf(empty(${found}), ${text(NO_TOUCH[dimension])}, ${value} = '', ${text(NOT_SET)}, ${value})`;
}

/** The labels of a row's touch by dimension, empty without one: that of its identity by then, or for a refund of a known order of the payer. */
function attributionOf(model: TouchModel, who: Sql, context: QueryContext): RowJoin {
  const { tables, touch } = context;
  const touches = {
    context,
    byActor: (columns: Sql, where: Sql) => rowsByIds(tables, columns, where),
    keyOf: (needs: Needs) => needs.who(),
    told: sql`[${joined(TOUCH_DIMENSIONS.map((dimension) => touchOf(dimension, touch)), ", ")}]`,
    isMeant: sql`true`,
  };
  const num = tieBreakerOf(tables, sql`events.id`, sql`events.project`);
  const own = nearestTouch(model, touches, { key: who, ms: sql`events.ms`, place: placeOf(sql`events.ms`, num) }, "Own");
  const returned = name(`${model}_returned`);
  const told = sql`if(${returned}.isReturn, ${returned}.toldOfOrder, ${own.told})`;
  const joins = sql`${own.joins} GLOBAL ANY LEFT JOIN (${returnsOf(model, touches)}) AS ${returned} ON ${returned}.refundNum = ${num}`;
  return { joins, columns: [told] };
}

/** Refunds of known orders, by `refundNum`, with the touch of their payer. Covers all refunds of an order, whichever of them counts. */
function returnsOf(model: TouchModel, touches: TouchRows): Sql {
  const { revenue, tables } = touches.context;
  const ofMoney = () => new Needs(touches.context, moneyRows(revenue, tables));
  const refunds = sql`SELECT num AS refundNum, project AS refundProject, orderKey AS refundKey FROM (${allPaymentsOf(revenue, ofMoney(), EMPTY)})
    WHERE isRefund AND orderKey != ''`;
  const needs = ofMoney();
  const orders = sql`SELECT project AS paidProject, orderKey AS paidKey, ms AS paidMs, ${placeOf(sql`ms`, sql`num`)} AS paidPlace, payer
    FROM (${paymentsOf(revenue, needs, sql`, ${needs.who()} AS payer`)}) WHERE NOT isRefund AND orderKey != ''`;
  const { joins, told } = nearestTouch(model, touches, { key: sql`payer`, ms: sql`paidMs`, place: sql`paidPlace` }, "OfOrder");
  return sql`SELECT refundNum, true AS isReturn, ${told} AS toldOfOrder
    FROM (${refunds}) AS refunds
    GLOBAL INNER JOIN (${orders}) AS orders ON refundProject = paidProject AND refundKey = paidKey
    ${joins}`;
}
