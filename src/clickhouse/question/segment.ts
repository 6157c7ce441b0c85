import { DaybookError } from "../../base/errors.js";
import { MS_PER_DAY } from "../../base/time.js";
import type { ConditionPlan, SegmentPlan, SegmentWindow } from "../../plan/insights/plan.js";
import type { Operand, Range, Scope } from "../../plan/plan.js";
import { allOf, anyOf, sql, whole, type Sql } from "../sql/sql.js";
import { Needs } from "./needs.js";

/** Which rows a scope is about. */
type WhereOf = (scope: Scope, needs: Needs) => Sql;

/** Whether somebody is behind a row who is in a segment. @throws not_supported (a condition on what is known of people and companies) */
export function isInSegment({ segment, nowMs }: Extract<Operand, { readonly kind: "segment" }>, needs: Needs, whereOf: WhereOf): Sql {
  const who = needs.who();
  return sql`${who} != '' AND ${membersOf(segment, (condition) => holdsFor(condition, who, nowMs, needs, whereOf))}`;
}

function membersOf(segment: SegmentPlan, holds: (condition: ConditionPlan) => Sql): Sql {
  return anyOf(segment.map((group) => allOf(group.map(holds))));
}

/** Whether a condition holds for whoever is behind a row: who did something is asked of all rows, once. */
function holdsFor(condition: ConditionPlan, who: Sql, nowMs: number, { moment }: Needs, whereOf: WhereOf): Sql {
  if (condition.type === "is") throw new DaybookError("not_supported", "segments: traits and companies are no conditions on ClickHouse");
  const range = rangeOf(condition.window, nowMs);
  const those = (scope: Scope, having: Sql) => {
    const own = new Needs(moment);
    const [person, where] = [own.who(), whereOf(scope, own)];
    return sql`${who} GLOBAL IN (SELECT ${person} AS person FROM ${own.rows()} WHERE (${where}) AND person != '' GROUP BY person HAVING ${having})`;
  };
  if (condition.type === "did") {
    const { atLeast, atMost } = condition;
    const scope = { ...condition.scope, range };
    if (atMost === 0) return sql`NOT ${those(scope, sql`true`)}`;
    return those(scope, sql`count() >= ${whole(atLeast)} AND count() <= ${whole(atMost ?? Infinity)}`);
  }
  const ever = { project: condition.project, eventName: null, userId: null, range: { fromMs: 0, toMs: Infinity }, where: [] };
  const seenMs = condition.type === "firstSeen" ? sql`min(ms)` : sql`max(ms)`;
  return those(ever, sql`${seenMs} >= ${whole(range.fromMs)} AND ${seenMs} < ${whole(range.toMs)}`);
}

function rangeOf(window: SegmentWindow, nowMs: number): Range {
  return window.kind === "range" ? window.range : { fromMs: nowMs - window.days * MS_PER_DAY, toMs: nowMs + 1 };
}
