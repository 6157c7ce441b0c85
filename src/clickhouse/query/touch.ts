import { NO_TOUCH, NOT_SET } from "../../query/answer/visits/visits.js";
import type { HostList, TouchDimension, TouchRule } from "../../query/plan/plan.js";
import { SECOND_LEVELS } from "../../query/plan/report-rules.js";
import { anyOf, EMPTY, joined, shortLists, sql, text, texts, name, whole, type Sql, type Bound } from "../sql/sql.js";
import { msOfPlace, placeOf, rowSortKey, rowsByIds, tieBreakerOf } from "./event-columns.js";
import { RequiredJoins, type QueryContext, type RowJoin, type RowSource } from "./required-joins.js";
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
  keyOf(needs: RequiredJoins): Sql;
  readonly label: Sql;
  /** Selects by `key`. */
  readonly condition: Sql;
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
  readonly label: Sql;
}

/** The first or last touch that is no later, within the lookback time. @param suffix distinguishes several in one statement */
export function nearestTouch(model: TouchModel, touches: TouchRows, owed: AttributedRows, suffix = ""): Nearest {
  return model === "first_touch" ? firstTouch(touches, owed, name(`first${suffix}`)) : lastTouch(touches, owed, name(`last${suffix}`));
}

function firstTouch(touches: TouchRows, { key, ms, place }: AttributedRows, of: Bound): Nearest {
  const { lookbackMs } = touches.context.touch;
  if (lookbackMs !== null) {
    const label = labelIf(sql`${of}.touchPlace <= ${place}`, sql`${of}.touchLabel`);
    const from = placeOf(sql`greatest(toInt64(${ms}) - ${whole(lookbackMs)}, 0)`, sql`toUInt256(0)`);
    return { joins: sql`GLOBAL ASOF LEFT JOIN (${touchesOf(touches)}) AS ${of} ON ${of}.key = ${key} AND ${of}.touchPlace >= ${from}`, label };
  }
  const first = sql`SELECT key, min(touchPlace) AS firstPlace, argMin(touchLabel, touchPlace) AS firstLabel FROM (${firstOfActors(touches)}) GROUP BY key`;
  const label = labelIf(sql`${of}.firstPlace <= ${place}`, sql`${of}.firstLabel`);
  return { joins: sql`GLOBAL ANY LEFT JOIN (${first}) AS ${of} ON ${of}.key = ${key}`, label };
}

function lastTouch(touches: TouchRows, { key, ms, place }: AttributedRows, of: Bound): Nearest {
  const { lookbackMs } = touches.context.touch;
  const joins = sql`GLOBAL ASOF LEFT JOIN (${touchesOf(touches)}) AS ${of} ON ${of}.key = ${key} AND ${of}.touchPlace <= ${place}`;
  if (lookbackMs === null) return { joins, label: sql`${of}.touchLabel` };
  const isRecent = sql`toInt64(${ms}) - ${msOfPlace(sql`${of}.touchPlace`)} <= ${whole(lookbackMs)}`;
  return { joins, label: labelIf(isRecent, sql`${of}.touchLabel`) };
}

/** Otherwise an empty value of the same type. */
function labelIf(condition: Sql, label: Sql): Sql {
  return sql`if(${condition}, ${label}, arrayFirst(one -> false, [${label}]))`;
}

function touchesOf({ context, keyOf, label, condition }: TouchRows): Sql {
  const needs = new RequiredJoins(context);
  const key = keyOf(needs);
  return sql`SELECT key, touchPlace, touchLabel
    FROM (SELECT ${key} AS key, ${rowSortKey(context.tables)} AS touchPlace, ${label} AS touchLabel FROM ${needs.rows()} WHERE ${takesRevenue(context.touch)})
    WHERE key != '' AND ${condition}`;
}

/** The first touch of each actor: these are few, so that keys are computed for them only. */
function firstOfActors({ context, keyOf, label, condition, byActor }: TouchRows): Sql {
  const place = rowSortKey(context.tables);
  const needs = new RequiredJoins(context, byActor(sql`min(${place}) AS firstPlace, argMin(${label}, ${place}) AS firstLabel`, takesRevenue(context.touch)));
  const key = keyOf(needs);
  return sql`SELECT key, touchPlace, touchLabel FROM (SELECT ${key} AS key, firstPlace AS touchPlace, firstLabel AS touchLabel FROM ${needs.rows()})
    WHERE key != '' AND ${condition}`;
}

/** The label that attribution gives an event as a payment of its identity; a refund gets that of its order, where known. */
export function attributedLabel(model: TouchModel, dimension: TouchDimension, needs: RequiredJoins): Sql {
  const identityKey = needs.identityKey();
  const [found = EMPTY] = needs.join(model, () => attributionOf(model, identityKey, needs.context));
  const value = sql`${found}[${whole(TOUCH_DIMENSIONS.indexOf(dimension) + 1)}]`;
  return sql`multiIf(empty(${found}), ${text(NO_TOUCH[dimension])}, ${value} = '', ${text(NOT_SET)}, ${value})`;
}

/** The labels of a row's touch by dimension, empty without one: that of its identity by then, or for a refund of a known order of the payer. */
function attributionOf(model: TouchModel, identityKey: Sql, context: QueryContext): RowJoin {
  const { tables, touch } = context;
  const touches = {
    context,
    byActor: (columns: Sql, where: Sql) => rowsByIds(tables, columns, where),
    keyOf: (needs: RequiredJoins) => needs.identityKey(),
    label: sql`[${joined(TOUCH_DIMENSIONS.map((dimension) => touchOf(dimension, touch)), ", ")}]`,
    condition: sql`true`,
  };
  const num = tieBreakerOf(tables, sql`events.id`, sql`events.project`);
  const own = nearestTouch(model, touches, { key: identityKey, ms: sql`events.ms`, place: placeOf(sql`events.ms`, num) }, "Own");
  const returned = name(`${model}_returned`);
  const label = sql`if(${returned}.isReturn, ${returned}.labelOfOrder, ${own.label})`;
  const joins = sql`${own.joins} GLOBAL ANY LEFT JOIN (${returnsOf(model, touches)}) AS ${returned} ON ${returned}.refundNum = ${num}`;
  return { joins, columns: [label] };
}

/** Refunds of known orders, by `refundNum`, with the touch of their payer. Covers all refunds of an order, whichever of them counts. */
function returnsOf(model: TouchModel, touches: TouchRows): Sql {
  const { revenue, tables } = touches.context;
  const ofMoney = () => new RequiredJoins(touches.context, moneyRows(revenue, tables));
  const refunds = sql`SELECT num AS refundNum, project AS refundProject, orderKey AS refundKey FROM (${allPaymentsOf(revenue, ofMoney(), EMPTY)})
    WHERE isRefund AND orderKey != ''`;
  const needs = ofMoney();
  const orders = sql`SELECT project AS paidProject, orderKey AS paidKey, ms AS paidMs, ${placeOf(sql`ms`, sql`num`)} AS paidPlace, payer
    FROM (${paymentsOf(revenue, needs, sql`, ${needs.identityKey()} AS payer`)}) WHERE NOT isRefund AND orderKey != ''`;
  const { joins, label } = nearestTouch(model, touches, { key: sql`payer`, ms: sql`paidMs`, place: sql`paidPlace` }, "OfOrder");
  return sql`SELECT refundNum, true AS isReturn, ${label} AS labelOfOrder
    FROM (${refunds}) AS refunds
    GLOBAL INNER JOIN (${orders}) AS orders ON refundProject = paidProject AND refundKey = paidKey
    ${joins}`;
}
