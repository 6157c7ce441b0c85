import { perDayItems } from "../../query/answer/per-day.js";
import type { PerDayItem, AggregateItem } from "../../query/plan/input.js";
import type { QueryScope, Operand, AggregatePlan } from "../../query/plan/plan.js";
import { EMPTY, limitOf, sql, type Sql } from "../sql/sql.js";
import type { RequiredJoins } from "../query/required-joins.js";
import { identityCount, selectRows, type ReportContext, type StatementReport } from "./report.js";
import { tooManyValues } from "../../query/answer/ranked-items.js";
import { LIMITS } from "../../core/base/limits.js";
import { isoOf } from "../../core/base/time.js";
import { foundOf, propertiesOf } from "../query/operand.js";

const events = (): Sql => sql`count()`;

async function one(scope: QueryScope, context: ReportContext, figure: (needs: RequiredJoins) => Sql): Promise<number> {
  const [[count] = [0]] = await context.connection.rows<[number]>(selectRows(scope, context, figure));
  return count ?? 0;
}

async function perDay(scope: QueryScope, context: ReportContext, figure: (needs: RequiredJoins) => Sql, fill: boolean): Promise<PerDayItem[]> {
  const statement = selectRows(scope, context, (needs) => sql`day, ${figure(needs)} AS figure`, sql`GROUP BY day HAVING figure > 0`);
  const counts = await context.connection.rows<[number, number]>(statement);
  return perDayItems(new Map(counts), scope.range, fill);
}

export const countEvents: StatementReport<"countEvents"> = (plan, context) => one(plan, context, events);

export const countUniqueUsers: StatementReport<"countUniqueUsers"> = (plan, context) => one(plan, context, identityCount);

export const countEventsPerDay: StatementReport<"countEventsPerDay"> = (plan, context) => perDay(plan, context, events, plan.fill);

export const countUniqueUsersPerDay: StatementReport<"countUniqueUsersPerDay"> = (plan, context) => perDay(plan, context, identityCount, plan.fill);

export const countEventsRunningTotalPerDay: StatementReport<"countEventsRunningTotalPerDay"> = async (plan, context) => {
  let total = 0;
  return (await perDay(plan, context, events, plan.fill)).map(({ day, count }) => ({ day, count: (total += count) }));
};

/** Counts matching events, or their identities, by the value of a field or of a metadata path, most first. */
export const aggregate: StatementReport<"aggregate"> = async (plan, context) => {
  if (plan.by.kind === "id" && plan.project !== null) return await byId(plan, context);
  const figure = plan.measure === "events" ? events : identityCount;
  const columns = (needs: RequiredJoins) => sql`${propertyOf(plan.by, needs)} AS property, ${figure(needs)} AS figure`;
  const statement = selectRows(plan, context, columns, sql`GROUP BY property HAVING figure > 0`);
  const counted = sql`SELECT property, figure, count() OVER () AS valueCount FROM (${statement})
    ORDER BY figure DESC, property ${limitOf(isOwn(plan) ? Math.min(plan.limit ?? Infinity, LIMITS.ownValueCount) : plan.limit)}`;
  const rows = await context.connection.rows<[string | number, number, number]>(counted);
  const { kind } = plan.by;
  const valueCountMax = kind === "id" && plan.limit !== null ? LIMITS.dictionaryValueCount : LIMITS.ownValueCount;
  if (isOwn(plan) && (rows[0]?.[2] ?? 0) > valueCountMax) throw tooManyValues(kind as "createdAt" | "id");
  return rows.map(([property, count]): AggregateItem => ({ property: typeof property === "number" ? isoOf(property) : property, count }));
};

/** Times stay numbers: only those that are shown become texts. */
function propertyOf(by: Operand, needs: RequiredJoins): Sql {
  if (by.kind === "createdAt") return sql`ms`;
  const found = foundOf(by, needs);
  return found.kind === "text" ? found.text : sql`arrayJoin(${propertiesOf(found)})`;
}

/** Within a project each event has an id of its own: order alone decides which are shown. */
async function byId(plan: AggregatePlan, context: ReportContext): Promise<AggregateItem[]> {
  const needsActor = plan.measure === "unique_users" ? sql`AND (userId != '' OR anonymousId != '')` : EMPTY;
  const most = Math.min(plan.limit ?? Infinity, LIMITS.ownValueCount + 1);
  const statement = selectRows(plan, context, () => sql`toString(id)`, sql`${needsActor} ORDER BY toUInt128(id) ${limitOf(most)}`);
  const rows = await context.connection.rows<[string]>(statement);
  if (rows.length > LIMITS.ownValueCount) throw tooManyValues("id");
  return rows.map(([property]) => ({ property, count: 1 }));
}

/** Whether nearly each event has a value of its own: then values are limited to what an answer may hold. */
function isOwn({ by: { kind } }: AggregatePlan): boolean {
  return kind === "createdAt" || kind === "id";
}
