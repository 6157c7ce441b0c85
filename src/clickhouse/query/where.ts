import { rangeOf } from "../../query/plan/insights/segments.js";
import { dayOf, isoOf, parseTimestamp } from "../../core/base/time.js";
import { parseUuid, uuidText } from "../../core/base/uuid.js";
import type { PlannedFilter, Range, QueryScope, Test, Operand, ConditionPlan } from "../../query/plan/plan.js";
import { allOf, anyOf, sql, text, uuids, whole, type Sql } from "../sql/sql.js";
import { passesNotSet, taggedTest, textTest } from "../sql/value-test.js";
import { RequiredJoins } from "./required-joins.js";
import { foundOf, joinedTrait, type ValueLocation } from "./operand.js";
import { lastCompanyOf } from "./companies.js";
import { nameOf } from "./known-traits.js";
import { ofActors, type ActorIds } from "./identity-context.js";

export const ALL_TIME: Range = { fromMs: 0, toMs: Infinity };

/** The condition of a scope. @param person the person of its user id; null: none is named */
export function whereOf(scope: QueryScope, person: ActorIds | null, needs: RequiredJoins): Sql {
  const { project, eventName, range, where } = scope;
  return allOf([
    ...inRange(range),
    ...(project === null ? [] : [sql`project = ${text(project)}`]),
    ...(eventName === null ? [] : [sql`name = ${text(eventName)}`]),
    ...(person === null ? [] : [ofActors(person)]),
    ...(where.length === 0 ? [] : [anyOf(where.map((group) => allOf(group.map((comparison) => comparisonOf(comparison, needs)))))]),
  ]);
}

/** Also by day, as rows are sorted by day. */
export function inRange({ fromMs, toMs }: Range): Sql[] {
  return [
    ...(fromMs > 0 ? [sql`day >= ${whole(dayOf(fromMs))}`, sql`ms >= ${whole(fromMs)}`] : []),
    ...(Number.isFinite(toMs) ? [sql`day <= ${whole(dayOf(toMs - 1))}`, sql`ms < ${whole(toMs)}`] : []),
  ];
}

function comparisonOf({ operand, test, negated }: PlannedFilter, needs: RequiredJoins): Sql {
  const passes = operand.kind === "segment" ? isInSegment(operand, needs) : (exactly(operand, test) ?? passesOf(foundOf(operand, needs), test));
  return negated ? sql`NOT (${passes})` : passes;
}

/** Compares sorted columns by their values instead of their texts. */
function exactly(operand: Operand, test: Test): Sql | null {
  if (operand.kind === "createdAt" && test.op === "instant")
    return allOf([sql`ms >= ${whole(test.fromMs ?? -Infinity)}`, sql`ms < ${whole(test.toMs ?? Infinity)}`]);
  if (test.op === "isSet" && (operand.kind === "createdAt" || operand.kind === "id")) return sql`true`;
  if (test.op !== "equals") return null;
  if (operand.kind === "id") return sql`id IN ${uuids(test.values.filter(isIdText))}`;
  if (operand.kind !== "createdAt") return null;
  const instants = test.values.map((value) => [value, parseTimestamp(value)] as const);
  return anyOf(instants.filter(([value, ms]) => ms !== null && isoOf(ms) === value).map(([, ms]) => sql`ms = ${whole(ms ?? 0)}`));
}

/** Whether a text is an id in the form that answers show. */
function isIdText(value: string): boolean {
  const id = parseUuid(value);
  return id !== null && uuidText(id) === value;
}

function passesOf(found: ValueLocation, test: Test): Sql {
  if (found.kind === "text") {
    if (test.op === "isSet") return sql`${found.text} != ''`;
    return sql`if(${found.text} = '', ${passesNotSet(test) ? sql`true` : sql`false`}, ${textTest(test, found.text)})`;
  }
  if (test.op === "isSet") return sql`notEmpty(${found.leaves})`;
  const some = sql`arrayExists(leaf -> ${taggedTest(test, sql`leaf`)}, ${found.leaves})`;
  return passesNotSet(test) ? sql`empty(${found.leaves}) OR ${some}` : some;
}

function isInSegment({ segment, nowMs }: Extract<Operand, { readonly kind: "segment" }>, needs: RequiredJoins): Sql {
  const identityKey = needs.identityKey();
  const isMember = anyOf(segment.map((group) => allOf(group.map((condition) => holdsFor(condition, identityKey, nowMs, needs)))));
  return sql`${identityKey} != '' AND ${isMember}`;
}

/** Whether a condition holds for a row's identity: what an identity did is read from all rows, once. */
function holdsFor(condition: ConditionPlan, identityKey: Sql, nowMs: number, needs: RequiredJoins): Sql {
  if (condition.type === "is") {
    const { operand, test, negated } = condition.comparison;
    const passes = passesOf(knownOf(operand, needs), test);
    return negated ? sql`NOT (${passes})` : passes;
  }
  const range = rangeOf(condition.window, nowMs);
  const those = (scope: QueryScope, having: Sql) => {
    const own = new RequiredJoins(needs.context);
    const [person, where] = [own.identityKey(), whereOf(scope, null, own)];
    return sql`${identityKey} GLOBAL IN (SELECT ${person} AS person FROM ${own.rows()} WHERE (${where}) AND person != '' GROUP BY person HAVING ${having})`;
  };
  if (condition.type === "did") {
    const { atLeast, atMost } = condition;
    const scope = { ...condition.scope, range };
    if (atMost === 0) return sql`NOT ${those(scope, sql`true`)}`;
    return those(scope, sql`count() >= ${whole(atLeast)} AND count() <= ${whole(atMost ?? Infinity)}`);
  }
  const ever = { project: condition.project, eventName: null, userId: null, range: ALL_TIME, where: [] };
  const seenMs = condition.type === "firstSeen" ? sql`min(ms)` : sql`max(ms)`;
  return those(ever, sql`${seenMs} >= ${whole(range.fromMs)} AND ${seenMs} < ${whole(range.toMs)}`);
}

/** Of a person, or of the company it was last seen with. */
function knownOf(operand: PlannedFilter["operand"], needs: RequiredJoins): ValueLocation {
  if (operand.kind === "companyId") return { kind: "text", text: lastCompanyOf(needs) };
  if (operand.kind !== "company") return foundOf(operand, needs);
  return joinedTrait(operand, lastCompanyOf(needs), needs, `last ${nameOf(operand)}`);
}
