import { LIMITS } from "../core/base/limits.js";
import { MS_PER_DAY } from "../core/base/time.js";
import { canonicalText } from "./plan/cursor.js";
import { FIELD_OPERANDS } from "./plan/field-names.js";
import type { QueryScope, Range } from "./plan/plan.js";
import type { ScopePlan, ScopeRows } from "./plan/scope.js";

const EVER: Range = { fromMs: 0, toMs: LIMITS.instantMaxMs };
const EVERYTHING: QueryScope = { project: null, eventName: null, userId: null, range: EVER, where: [] };

/** Conditions that an event has to fulfil, each of them, to pass all scopes at an instant; all have one range. Null: every event passes. */
export function conditionsOf(plans: readonly ScopePlan[], nowMs: number): readonly [QueryScope, ...QueryScope[]] | null {
  const rows = plans.map((plan) => plan.rows);
  const range = rows.map((each) => rangeAt(each, nowMs)).reduce(intersection, EVER);
  const isWhole = rows.every(({ where, projects }) => where.length === 0 && projects === null) && range.fromMs === EVER.fromMs && range.toMs === EVER.toMs;
  const [first = EVERYTHING, ...others] = rows.flatMap((each) => conditionsOfRows(each, range));
  return isWhole ? null : [first, ...others];
}

/** Scopes that let the same events through have the same text, whatever else they allow. */
export function textOfRows({ where, projects, range, lastDays }: ScopeRows): string {
  const days = lastDays === null ? null : { count: lastDays.count, zone: lastDays.zone.name };
  return canonicalText({ where, projects: projects === null ? null : [...projects].sort(), range, days });
}

/** The range of a scope at an instant. */
function rangeAt({ range, lastDays }: ScopeRows, nowMs: number): Range {
  if (lastDays === null) return range;
  const { zone, count } = lastDays;
  const dayMs = Math.floor((nowMs + zone.offsetMsAt(nowMs)) / MS_PER_DAY) * MS_PER_DAY;
  return { fromMs: Math.max(0, zone.firstAt(dayMs - (count - 1) * MS_PER_DAY)), toMs: LIMITS.instantMaxMs };
}

function intersection(a: Range, b: Range): Range {
  const fromMs = Math.max(a.fromMs, b.fromMs);
  return { fromMs, toMs: Math.max(fromMs, Math.min(a.toMs, b.toMs)) };
}

function conditionsOfRows({ where, projects }: ScopeRows, range: Range): QueryScope[] {
  const own = { ...EVERYTHING, range, where };
  if (projects === null) return [own];
  const inProjects = { operand: FIELD_OPERANDS.project, test: { op: "equals", values: projects }, negated: false } as const;
  return [own, { ...EVERYTHING, range, where: [[inProjects]] }];
}
