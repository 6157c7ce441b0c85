import type { TouchRule } from "../../plan/plan.js";
import { name, sql, whole, type Sql } from "../sql/sql.js";
import type { Needs } from "./needs.js";
import { isTouch } from "./touch.js";

export type TouchModel = "first_touch" | "last_touch";

/** Touches with whom they are of, a text: their ms, their ids, and what is told of each, which is never empty. */
export interface Touches {
  /** Of all rows. */
  readonly needs: Needs;
  /** Of each row, a list. */
  readonly keys: Sql;
  readonly told: Sql;
  /** Which `key` is asked for, and, where that is known, which `ms`. */
  readonly isMeant: Sql;
  readonly isMeantMs: Sql;
}

/** What may be owed to a touch: whose it is, when it was, and its id as a number. */
export interface Owed {
  readonly key: Sql;
  readonly ms: Sql;
  readonly num: Sql;
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
export function nearestTouch(model: TouchModel, rule: TouchRule, touches: Touches, owed: Owed, called = ""): Nearest {
  return model === "first_touch" ? firstTouch(rule, touches, owed, `first${called}`) : lastTouch(rule, touches, owed, `last${called}`);
}

function firstTouch(rule: TouchRule, touches: Touches, { key, ms, num }: Owed, called: string): Nearest {
  const { lookbackMs } = rule;
  const [of, at] = [name(called), name(`${called}Ms`)];
  const rows = rowsOf(touches, rule, sql`true`);
  const place = sql`(touchMs, touchNum)`;
  const first = sql`SELECT key, toInt64(min(touchMs)) AS ${at}, min(${place}) AS place, argMin(told, ${place}) AS told FROM (${rows})`;
  const joins = lookbackMs === null
    ? sql`GLOBAL ANY LEFT JOIN (${first} GROUP BY key) AS ${of} ON ${of}.key = ${key}`
    : sql`GLOBAL ASOF LEFT JOIN (${first} GROUP BY key, touchMs) AS ${of} ON ${of}.key = ${key} AND ${at} >= toInt64(${ms}) - ${whole(lookbackMs)}`;
  const none = sql`arrayFirst(one -> false, [${of}.told])`;
  return { joins, told: sql`if(${of}.place <= (toUInt64(${ms}), ${num}), ${of}.told, ${none})` };
}

function lastTouch(rule: TouchRule, touches: Touches, { key, ms, num }: Owed, called: string): Nearest {
  const [of, at, same, sameMs] = [name(called), name(`${called}Ms`), name(`${called}Same`), name(`${called}SameMs`)];
  const before = sql`SELECT key, toInt64(touchMs) AS ${at}, argMax(told, touchNum) AS told
    FROM (${rowsOf(touches, rule, sql`true`)}) GROUP BY key, touchMs`;
  // Of one ms, ids decide: of most there is one touch.
  const together = sql`SELECT key, toInt64(touchMs) AS ${sameMs}, arraySort(groupArray((touchNum, told))) AS several
    FROM (${rowsOf(touches, rule, touches.isMeantMs)}) GROUP BY key, touchMs`;
  const joins = sql`GLOBAL ASOF LEFT JOIN (${before}) AS ${of} ON ${of}.key = ${key} AND ${at} < toInt64(${ms})
    GLOBAL ANY LEFT JOIN (${together}) AS ${same} ON ${same}.key = ${key} AND ${sameMs} = toInt64(${ms})`;
  const none = sql`arrayFirst(one -> false, [${of}.told])`;
  const { lookbackMs } = rule;
  const earlier = lookbackMs === null ? sql`${of}.told` : sql`if(toInt64(${ms}) - ${at} <= ${whole(lookbackMs)}, ${of}.told, ${none})`;
  const found = sql`arrayLast(one -> one.1 <= ${num}, ${same}.several).2`;
  return { joins, told: sql`if(notEmpty(${found}), ${found}, ${earlier})` };
}

function rowsOf({ needs, keys, told, isMeant }: Touches, rule: TouchRule, where: Sql): Sql {
  return sql`SELECT key, touchMs, touchNum, told FROM (SELECT arrayJoin(${keys}) AS key, ms AS touchMs, toUInt128(id) AS touchNum, ${told} AS told
    FROM ${needs.rows()} WHERE ${isTouch(rule)} AND ${where}) WHERE ${isMeant}`;
}
