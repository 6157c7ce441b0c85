import type { TouchRule } from "../../plan/plan.js";
import { name, sql, whole, type Bound, type Sql } from "../sql/sql.js";
import type { TableNames } from "../tables/names.js";
import type { Needs, RowSource } from "./needs.js";
import { msOfPlace, placeOf, rowPlace } from "./place.js";
import { takesRevenue } from "./touch.js";

export type TouchModel = "first_touch" | "last_touch";

/** Touches with whom they are of, and what is told of each, which is never empty. */
export interface TouchRows {
  /** What is needed of rows: absent, of all events. */
  newNeeds(source?: RowSource): Needs;
  /** Of a row its key, a text; `""` for nobody. An `arrayJoin` gives several. */
  keyOf(needs: Needs): Sql;
  readonly told: Sql;
  readonly tables: TableNames;
  /** Which `key` is asked for. */
  readonly isMeant: Sql;
  /** Some events as few rows that have the same keys. @param columns aggregates */
  byActor(columns: Sql, where: Sql): RowSource;
}

/** What may be owed to a touch: whose it is, and when it was, by its ms and its place. */
export interface Owed {
  readonly key: Sql;
  readonly ms: Sql;
  readonly place: Sql;
}

/** What stands behind the rows of `Owed`, and what is told of the touch of each; empty where it is owed to none. */
export interface Nearest {
  readonly joins: Sql;
  readonly told: Sql;
}

/**
 * The first touch of all, or the last, that is no later, and within the time that touches count.
 * @param called tells several in one statement apart
 */
export function nearestTouch(model: TouchModel, rule: TouchRule, touches: TouchRows, owed: Owed, called = ""): Nearest {
  return model === "first_touch" ? firstTouch(rule, touches, owed, name(`first${called}`)) : lastTouch(rule, touches, owed, name(`last${called}`));
}

function firstTouch(rule: TouchRule, touches: TouchRows, { key, ms, place }: Owed, of: Bound): Nearest {
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

function lastTouch(rule: TouchRule, touches: TouchRows, { key, ms, place }: Owed, of: Bound): Nearest {
  const joins = sql`GLOBAL ASOF LEFT JOIN (${touchesOf(touches, rule)}) AS ${of} ON ${of}.key = ${key} AND ${of}.touchPlace <= ${place}`;
  if (rule.lookbackMs === null) return { joins, told: sql`${of}.told` };
  const isRecent = sql`toInt64(${ms}) - ${msOfPlace(sql`${of}.touchPlace`)} <= ${whole(rule.lookbackMs)}`;
  return { joins, told: toldIf(isRecent, sql`${of}.told`) };
}

/** What is told of a touch that is no later. */
function toldUntil(place: Sql, touchPlace: Sql, told: Sql): Sql {
  return toldIf(sql`${touchPlace} <= ${place}`, told);
}

/** Else what is empty, of the same type. */
function toldIf(condition: Sql, told: Sql): Sql {
  return sql`if(${condition}, ${told}, arrayFirst(one -> false, [${told}]))`;
}

/** Each touch that is asked for. */
function touchesOf(touches: TouchRows, rule: TouchRule): Sql {
  const needs = touches.newNeeds();
  const key = touches.keyOf(needs);
  return sql`SELECT key, touchPlace, told FROM (SELECT ${key} AS key, ${rowPlace(needs.moment.tables)} AS touchPlace, ${touches.told} AS told
    FROM ${needs.rows()} WHERE ${takesRevenue(rule)}) WHERE key != '' AND ${touches.isMeant}`;
}

/** The first touch of each actor: of these there are few, and whom they belong to is asked of them alone. */
function firstOfActors(touches: TouchRows, rule: TouchRule): Sql {
  const place = rowPlace(touches.tables);
  const first = sql`min(${place}) AS firstPlace, argMin(${touches.told}, ${place}) AS firstTold`;
  const needs = touches.newNeeds(touches.byActor(first, takesRevenue(rule)));
  const key = touches.keyOf(needs);
  return sql`SELECT key, touchPlace, told FROM (SELECT ${key} AS key, firstPlace AS touchPlace, firstTold AS told FROM ${needs.rows()})
    WHERE key != '' AND ${touches.isMeant}`;
}
