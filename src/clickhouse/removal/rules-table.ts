import { TimeToLiveRules } from "../../engine/ingest/time-to-live-rules.js";
import type { TimeToLiveRule } from "../../engine/upkeep/time-to-live.js";
import { sql, type Sql } from "../sql/sql.js";
import type { Servers } from "../tables/change.js";
import type { TableNames } from "../tables/names.js";

/** A rule as statements select it: `""` stands for all projects without a rule of their own. */
export type RuleColumns = readonly [project: string, days: number];

/** All rules in force, as columns `project` and `kept`. */
export function rulesInForce(names: TableNames): Sql {
  return sql`SELECT project, argMax(days, version) AS kept FROM ${names.all("time_to_live")} GROUP BY project HAVING kept > 0`;
}

export function rulesOf(rows: readonly RuleColumns[]): TimeToLiveRule[] {
  return rows.map(([project, days]) => ({ project: project === "" ? null : project, days }));
}

/** The current rules. */
export async function rulesNow({ connection, names }: Servers): Promise<TimeToLiveRule[]> {
  return rulesOf(await connection.rows<[string, number]>(rulesInForce(names)));
}

/** The instants, epoch ms, before which events of these projects are past their time. */
export function cutoffsOf(rules: readonly TimeToLiveRule[], projects: readonly string[], nowMs: number): ReadonlyMap<string, number> {
  const settled = new TimeToLiveRules(rules);
  const cutoffs = projects.map((project) => [project, settled.beforeMs(project, nowMs)] as const);
  return new Map(cutoffs.filter(([, beforeMs]) => beforeMs > 0));
}
