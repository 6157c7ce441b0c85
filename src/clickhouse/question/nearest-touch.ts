import type { TouchRule } from "../../plan/plan.js";
import { sql, whole, type Sql } from "../sql/sql.js";
import type { Needs } from "./needs.js";
import { isTouch } from "./touch.js";

export type TouchModel = "first_touch" | "last_touch";

/** Of each of `keys` of rows, which is called `name`, all touches in order: their ms, their ids, and what is `told` of each. */
export function touchesBy(name: Sql, keys: Sql, told: Sql, isMeant: Sql, rule: TouchRule, needs: Needs): Sql {
  const touches = sql`SELECT arrayJoin(${keys}) AS ${name}, ms AS touchMs, toUInt128(id) AS touchNum, ${told} AS told
    FROM ${needs.rows()} WHERE ${isTouch(rule)}`;
  return sql`SELECT ${name}, arraySort(groupArray((touchMs, touchNum, told))) AS touches FROM (${touches}) WHERE ${isMeant} GROUP BY ${name}`;
}

/** What is told of the touch among `touches` that something at `ms` with the id `num` is owed to; nothing where it is owed to none. */
export function nearestTouch(model: TouchModel, { lookbackMs }: TouchRule, ms: Sql, num: Sql): Sql {
  const inTime = lookbackMs === null ? sql`true` : sql`toInt64(${ms}) - toInt64(touch.1) <= ${whole(lookbackMs)}`;
  const counts = sql`(toInt64(touch.1), touch.2) <= (toInt64(${ms}), ${num}) AND ${inTime}`;
  return model === "first_touch" ? sql`arrayFirst(touch -> ${counts}, touches).3` : sql`arrayLast(touch -> ${counts}, touches).3`;
}
