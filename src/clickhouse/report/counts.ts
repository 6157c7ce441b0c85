import { perDayItems } from "../../query/answer/per-day.js";
import type { PerDayItem, AggregateItem } from "../../query/plan/input.js";
import type { QueryScope, Operand, Plan } from "../../query/plan/plan.js";
import { sql, whole, type Sql } from "../sql/sql.js";
import type { Needs } from "../query/needs.js";
import { selectRows, type ReportContext, type StatementReport } from "./report.js";
import { tooManyValues } from "../../query/answer/ranked-items.js";
import { LIMITS } from "../../core/base/limits.js";
import { isoOf } from "../../core/base/time.js";
import { foundOf } from "../query/operand.js";
import { propertiesOf } from "../query/event-columns.js";

const events = (): Sql => sql`count()`;
const people = (needs: Needs): Sql => sql`uniqExactIf(${needs.who()} AS who, who != '')`;

async function one(scope: QueryScope, asking: ReportContext, figure: (needs: Needs) => Sql): Promise<number> {
  const [[count] = [0]] = await asking.connection.rows<[number]>(selectRows(scope, asking, figure), asking.signal);
  return count ?? 0;
}

async function perDay(scope: QueryScope, asking: ReportContext, figure: (needs: Needs) => Sql, fill: boolean): Promise<PerDayItem[]> {
  const statement = selectRows(scope, asking, (needs) => sql`day, ${figure(needs)} AS figure`, sql`GROUP BY day HAVING figure > 0`);
  const counts = await asking.connection.rows<[number, number]>(statement, asking.signal);
  return perDayItems(new Map(counts), scope.range, fill);
}

export const countEvents: StatementReport<"countEvents"> = (plan, asking) => one(plan, asking, events);

export const countUniqueUsers: StatementReport<"countUniqueUsers"> = (plan, asking) => one(plan, asking, people);

export const countEventsPerDay: StatementReport<"countEventsPerDay"> = (plan, asking) => perDay(plan, asking, events, plan.fill);

export const countUniqueUsersPerDay: StatementReport<"countUniqueUsersPerDay"> = (plan, asking) => perDay(plan, asking, people, plan.fill);

export const countEventsRunningTotalPerDay: StatementReport<"countEventsRunningTotalPerDay"> = async (plan, asking) => {
  let total = 0;
  return (await perDay(plan, asking, events, plan.fill)).map(({ day, count }) => ({ day, count: (total += count) }));
};

/** Counts matching events, or their identities, by the value of a field or of a metadata path, most first. */
export const aggregate: StatementReport<"aggregate"> = async (plan, asking) => {
  if (plan.by.kind === "id" && plan.project !== null) return await byId(plan, asking);
  const columns = (needs: Needs) => sql`${propertyOf(plan.by, needs)} AS property, ${figureOf(plan, needs)} AS figure`;
  const statement = selectRows(plan, asking, columns, sql`GROUP BY property HAVING figure > 0`);
  const counted = sql`SELECT property, figure, count() OVER () AS valueCount FROM (${statement})
    ORDER BY figure DESC, property ${limitOf(plan)}`;
  const rows = await asking.connection.rows<[string | number, number, number]>(counted, asking.signal);
  const { kind } = plan.by;
  const valueCountMax = kind === "id" && plan.limit !== null ? LIMITS.dictionaryValueCount : LIMITS.ownValueCount;
  if ((kind === "createdAt" || kind === "id") && (rows[0]?.[2] ?? 0) > valueCountMax) throw tooManyValues(kind);
  return rows.map(([property, count]): AggregateItem => ({ property: typeof property === "number" ? isoOf(property) : property, count }));
};

function figureOf({ measure }: Plan<"aggregate">, needs: Needs): Sql {
  return measure === "events" ? sql`count()` : sql`uniqExactIf(${needs.who()} AS who, who != '')`;
}

/** Times stay numbers: only those that are shown become texts. */
function propertyOf(by: Operand, needs: Needs): Sql {
  if (by.kind === "createdAt") return sql`ms`;
  const found = foundOf(by, needs);
  return found.kind === "text" ? found.text : sql`arrayJoin(${propertiesOf(found)})`;
}

/** Within a project each event has an id of its own: order alone decides which are shown. */
async function byId(plan: Plan<"aggregate">, asking: ReportContext): Promise<AggregateItem[]> {
  const needsActor = plan.measure === "unique_users" ? sql`AND (userId != '' OR anonymousId != '')` : sql``;
  const most = Math.min(plan.limit ?? Infinity, LIMITS.ownValueCount + 1);
  const statement = selectRows(plan, asking, () => sql`toString(id)`, sql`${needsActor} ORDER BY toUInt128(id) LIMIT ${whole(most)}`);
  const rows = await asking.connection.rows<[string]>(statement, asking.signal);
  if (rows.length > LIMITS.ownValueCount) throw tooManyValues("id");
  return rows.map(([property]) => ({ property, count: 1 }));
}

/** Times and ids are limited to what an answer may hold: nearly each event has its own. */
function limitOf({ by, limit }: Plan<"aggregate">): Sql {
  const most = by.kind === "createdAt" || by.kind === "id" ? Math.min(limit ?? Infinity, LIMITS.ownValueCount) : limit;
  return most === null ? sql`` : sql`LIMIT ${whole(most)}`;
}
