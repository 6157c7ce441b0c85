import type { TouchRule } from "../../query/plan/plan.js";
import { name, sql, whole, type Bound, type Sql } from "../sql/sql.js";
import type { TableNames } from "../tables/names.js";
import type { Needs, RowSource } from "./needs.js";
import { msOfPlace, placeOf, rowSortKey } from "./sort-key.js";
import { takesRevenue } from "./touch.js";

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
