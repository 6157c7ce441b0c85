import { dayOf, isoOf, parseTimestamp } from "../../base/time.js";
import { parseUuid, uuidText } from "../../base/uuid.js";
import type { Comparison, Range, Scope, Test } from "../../plan/plan.js";
import { allOf, anyOf, sql, text, texts, uuids, whole, type Sql } from "../sql/sql.js";
import { passesNotSet, taggedTest, textTest } from "../sql/value-test.js";
import type { Needs } from "./needs.js";
import { foundOf, type Found } from "./operand.js";
import { isInSegment } from "./segment.js";

/** The ids under which somebody's rows lie. */
export interface Actors {
  readonly users: readonly string[];
  readonly anonymous: readonly string[];
}

/** Every row lies in it. */
export const ALL_TIME: Range = { fromMs: 0, toMs: Infinity };

/** The rows that a scope is about. @param subject whom its user id names; null: nobody is named */
export function whereOf(scope: Scope, subject: Actors | null, needs: Needs): Sql {
  const { project, eventName, range, where } = scope;
  return allOf([
    ...inRange(range),
    ...(project === null ? [] : [sql`project = ${text(project)}`]),
    ...(eventName === null ? [] : [sql`name = ${text(eventName)}`]),
    ...(subject === null ? [] : [ofActors(subject)]),
    ...(where.length === 0 ? [] : [anyOf(where.map((group) => allOf(group.map((comparison) => comparisonOf(comparison, needs)))))]),
  ]);
}

/** By days too, which is what rows are in order of. */
export function inRange({ fromMs, toMs }: Range): Sql[] {
  return [
    ...(fromMs > 0 ? [sql`day >= ${whole(dayOf(fromMs))}`, sql`ms >= ${whole(fromMs)}`] : []),
    ...(Number.isFinite(toMs) ? [sql`day <= ${whole(dayOf(toMs - 1))}`, sql`ms < ${whole(toMs)}`] : []),
  ];
}

/** Rows of some ids: an event with both is its user's. */
export function ofActors({ users, anonymous }: Actors): Sql {
  return sql`(userId IN ${texts(users)} AND userId != '') OR (userId = '' AND anonymousId IN ${texts(anonymous)} AND anonymousId != '')`;
}

function comparisonOf({ operand, test, negated }: Comparison, needs: Needs): Sql {
  const passes = operand.kind === "segment"
    ? isInSegment(operand, needs, { whereOf: (scope, own) => whereOf(scope, null, own), passesOf: passesFound })
    : (exactly({ operand, test, negated }) ?? passesOf({ operand, test, negated }, needs));
  return negated ? sql`NOT (${passes})` : passes;
}

/** Of columns that are in order: the values themselves in place of their texts. */
function exactly({ operand, test }: Comparison): Sql | null {
  if (operand.kind === "createdAt" && test.op === "instant")
    return allOf([sql`ms >= ${whole(test.fromMs ?? -Infinity)}`, sql`ms < ${whole(test.toMs ?? Infinity)}`]);
  if (test.op === "isSet" && (operand.kind === "createdAt" || operand.kind === "id")) return sql`true`;
  if (test.op !== "equals") return null;
  if (operand.kind === "id") return sql`id IN ${uuids(test.values.filter(isIdText))}`;
  if (operand.kind !== "createdAt") return null;
  const instants = test.values.map((value) => [value, parseTimestamp(value)] as const);
  return anyOf(instants.filter(([value, ms]) => ms !== null && isoOf(ms) === value).map(([, ms]) => sql`ms = ${whole(ms ?? 0)}`));
}

/** Whether a text is that of an id, as answers show it. */
function isIdText(value: string): boolean {
  const id = parseUuid(value);
  return id !== null && uuidText(id) === value;
}

function passesOf({ operand, test }: Comparison, needs: Needs): Sql {
  return passesFound(foundOf(operand, needs), test);
}

function passesFound(found: Found, test: Test): Sql {
  if (found.kind === "text") {
    if (test.op === "isSet") return sql`${found.text} != ''`;
    return sql`if(${found.text} = '', ${passesNotSet(test) ? sql`true` : sql`false`}, ${textTest(test, found.text)})`;
  }
  if (test.op === "isSet") return sql`notEmpty(${found.leaves})`;
  const some = sql`arrayExists(leaf -> ${taggedTest(test, sql`leaf`)}, ${found.leaves})`;
  return passesNotSet(test) ? sql`empty(${found.leaves}) OR ${some}` : some;
}
