import { MS_PER_DAY } from "../../base/time.js";
import type { ConditionPlan, SegmentPlan, SegmentWindow } from "../../plan/insights/plan.js";
import type { Comparison, Operand, Range, Scope, Test } from "../../plan/plan.js";
import { allOf, anyOf, sql, whole, type Sql } from "../sql/sql.js";
import { lastCompanyOf } from "./companies.js";
import { nameOf } from "./known-traits.js";
import { Needs } from "./needs.js";
import { foundOf, type Found } from "./operand.js";

/** How conditions are tested. */
interface Tests {
  /** Which rows a scope is about. */
  readonly whereOf: (scope: Scope, needs: Needs) => Sql;
  readonly passesOf: (found: Found, test: Test) => Sql;
}

/** Whether somebody is behind a row who is in a segment. */
export function isInSegment({ segment, nowMs }: Extract<Operand, { readonly kind: "segment" }>, needs: Needs, tests: Tests): Sql {
  const who = needs.who();
  return sql`${who} != '' AND ${membersOf(segment, (condition) => holdsFor(condition, who, nowMs, needs, tests))}`;
}

function membersOf(segment: SegmentPlan, holds: (condition: ConditionPlan) => Sql): Sql {
  return anyOf(segment.map((group) => allOf(group.map(holds))));
}

/** Whether a condition holds for whoever is behind a row: who did something is asked of all rows, once. */
function holdsFor(condition: ConditionPlan, who: Sql, nowMs: number, needs: Needs, { whereOf, passesOf }: Tests): Sql {
  if (condition.type === "is") {
    const { operand, test, negated } = condition.comparison;
    const passes = passesOf(knownOf(operand, needs), test);
    return negated ? sql`NOT (${passes})` : passes;
  }
  const range = rangeOf(condition.window, nowMs);
  const those = (scope: Scope, having: Sql) => {
    const own = new Needs(needs.moment);
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

/** Of a person, or of the company that somebody was last seen with. */
function knownOf(operand: Comparison["operand"], needs: Needs): Found {
  if (operand.kind === "companyId") return { kind: "text", text: lastCompanyOf(needs) };
  if (operand.kind !== "company") return foundOf(operand, needs);
  return { kind: "trait", ...needs.trait(`last ${nameOf(operand)}`, lastCompanyOf(needs), needs.moment.known(operand)) };
}

function rangeOf(window: SegmentWindow, nowMs: number): Range {
  return window.kind === "range" ? window.range : { fromMs: nowMs - window.days * MS_PER_DAY, toMs: nowMs + 1 };
}
