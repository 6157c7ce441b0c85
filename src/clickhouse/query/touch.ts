import type { HostList, TouchDimension, TouchRule } from "../../query/plan/plan.js";
import { SECOND_LEVELS } from "../../query/plan/report-rules.js";
import { anyOf, shortLists, sql, text, texts, name, whole, type Sql, type Bound } from "../sql/sql.js";
import type { TableNames } from "../tables/layout.js";
import type { Needs, RowSource } from "./needs.js";
import { msOfPlace, placeOf, rowSortKey } from "./event-columns.js";

/** Whether an event has a touch: a campaign, or a referrer that counts. */
export function isTouch(rule: TouchRule): Sql {
  return sql`(isCampaign OR (touchHost != '' AND NOT ${isAmong(rule.excludedHosts)}))`;
}

/** The same for revenue, where sign-in hosts do not count: the payer had come before signing in. */
export function takesRevenue(rule: TouchRule): Sql {
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

export type TouchModel = "first_touch" | "last_touch";

/** SQL for touches, with their keys and values; a value is never empty. */
export interface TouchRows {
  /** Without a source: all events. */
  newNeeds(source?: RowSource): Needs;
  /** The key of a row, a text; `""` for none. An `arrayJoin` gives several. */
  keyOf(needs: Needs): Sql;
  readonly told: Sql;
  readonly tables: TableNames;
  /** Selects by `key`. */
  readonly isMeant: Sql;
  /** Groups events into few rows with the same keys. @param columns aggregates */
  byActor(columns: Sql, where: Sql): RowSource;
}

/** SQL for what is attributed to a touch: its key, and its time as ms and as `placeOf` number. */
export interface AttributedRows {
  readonly key: Sql;
  readonly ms: Sql;
  readonly place: Sql;
}

/** SQL to follow the rows of `AttributedRows`, and the value of each one's touch; empty without a touch. */
export interface Nearest {
  readonly joins: Sql;
  readonly told: Sql;
}

/**
 * Finds the first or the last touch that is no later, and within the lookback time.
 * @param called distinguishes several in one statement
 */
export function nearestTouch(model: TouchModel, rule: TouchRule, touches: TouchRows, owed: AttributedRows, called = ""): Nearest {
  return model === "first_touch" ? firstTouch(rule, touches, owed, name(`first${called}`)) : lastTouch(rule, touches, owed, name(`last${called}`));
}

function firstTouch(rule: TouchRule, touches: TouchRows, { key, ms, place }: AttributedRows, of: Bound): Nearest {
  const { lookbackMs } = rule;
  if (lookbackMs !== null) {
    const told = toldUntil(place, sql`${of}.touchPlace`, sql`${of}.told`);
    const from = placeOf(sql`greatest(toInt64(${ms}) - ${whole(lookbackMs)}, 0)`, sql`toUInt256(0)`);
    return { joins: sql`GLOBAL ASOF LEFT JOIN (${touchesOf(touches, rule)}) AS ${of} ON ${of}.key = ${key} AND ${of}.touchPlace >= ${from}`, told };
  }
  const first = sql`SELECT key, min(touchPlace) AS firstPlace, argMin(told, touchPlace) AS firstTold FROM (${firstOfActors(touches, rule)}) GROUP BY key`;
  const told = toldUntil(place, sql`${of}.firstPlace`, sql`${of}.firstTold`);
  return { joins: sql`GLOBAL ANY LEFT JOIN (${first}) AS ${of} ON ${of}.key = ${key}`, told };
}

function lastTouch(rule: TouchRule, touches: TouchRows, { key, ms, place }: AttributedRows, of: Bound): Nearest {
  const joins = sql`GLOBAL ASOF LEFT JOIN (${touchesOf(touches, rule)}) AS ${of} ON ${of}.key = ${key} AND ${of}.touchPlace <= ${place}`;
  if (rule.lookbackMs === null) return { joins, told: sql`${of}.told` };
  const isRecent = sql`toInt64(${ms}) - ${msOfPlace(sql`${of}.touchPlace`)} <= ${whole(rule.lookbackMs)}`;
  return { joins, told: toldIf(isRecent, sql`${of}.told`) };
}

function toldUntil(place: Sql, touchPlace: Sql, told: Sql): Sql {
  return toldIf(sql`${touchPlace} <= ${place}`, told);
}

/** Otherwise an empty value of the same type. */
function toldIf(condition: Sql, told: Sql): Sql {
  return sql`if(${condition}, ${told}, arrayFirst(one -> false, [${told}]))`;
}

function touchesOf(touches: TouchRows, rule: TouchRule): Sql {
  const needs = touches.newNeeds();
  const key = touches.keyOf(needs);
  return sql`SELECT key, touchPlace, told FROM (SELECT ${key} AS key, ${rowSortKey(needs.moment.tables)} AS touchPlace, ${touches.told} AS told
    FROM ${needs.rows()} WHERE ${takesRevenue(rule)}) WHERE key != '' AND ${touches.isMeant}`;
}

/** The first touch of each actor: these are few, so that keys are computed for them only. */
function firstOfActors(touches: TouchRows, rule: TouchRule): Sql {
  const place = rowSortKey(touches.tables);
  const first = sql`min(${place}) AS firstPlace, argMin(${touches.told}, ${place}) AS firstTold`;
  const needs = touches.newNeeds(touches.byActor(first, takesRevenue(rule)));
  const key = touches.keyOf(needs);
  return sql`SELECT key, touchPlace, told FROM (SELECT ${key} AS key, firstPlace AS touchPlace, firstTold AS told FROM ${needs.rows()})
    WHERE key != '' AND ${touches.isMeant}`;
}
