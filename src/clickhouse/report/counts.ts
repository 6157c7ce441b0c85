import { perDayItems } from "../../query/answer/per-day.js";
import type { PerDayItem } from "../../query/plan/input.js";
import type { QueryScope } from "../../query/plan/plan.js";
import { sql, type Sql } from "../sql/sql.js";
import type { Needs } from "../query/needs.js";
import { selectRows, type ReportContext, type StatementReport } from "./report.js";

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
