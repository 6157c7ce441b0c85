import { TimeToLiveRules } from "../../engine/ingest/suppression.js";
import { inOrder, readProject, readRule, withPreviewed, withRule } from "../../engine/upkeep/time-to-live.js";
import type { TimeToLiveRule, TimeToLive, TimeToLivePreview } from "../../engine/upkeep/time-to-live.js";
import { sql, type Sql } from "../sql/sql.js";
import type { Servers } from "../tables/change.js";
import type { TableNames } from "../tables/layout.js";
import { compareCodePoints } from "../../core/base/order.js";
import { dayOf, isoOfDay } from "../../core/base/time.js";
import type { DeletionReceipt } from "../../engine/upkeep/deletions.js";
import { nextVersion } from "../tables/next-version.js";
import type { ClickHouseDeletions, DeletionContext } from "./deletions.js";
import { isPast } from "./past-events.js";

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

/** How long events are kept: rules in a table, which only a call of `sweep` applies. */
export class ClickHouseTimeToLive implements TimeToLive {
  readonly #context: DeletionContext;
  readonly #deletions: ClickHouseDeletions;
  readonly #finishLeft: () => Promise<void>;

  /** @param finishLeft finishes what ended processes left undone */
  constructor(deletions: ClickHouseDeletions, finishLeft: () => Promise<void>) {
    this.#context = deletions.context;
    this.#deletions = deletions;
    this.#finishLeft = finishLeft;
  }

  async set(project: string | null, rule: { readonly days: number }): Promise<void> {
    const read = readRule(project, rule);
    withRule(await rulesNow(this.#context), read);
    if (project !== null) await this.#deletions.finish(project);
    await this.#write(project, read.days);
  }

  async off(project: string | null): Promise<boolean> {
    readProject(project);
    const isThere = (await rulesNow(this.#context)).some((rule) => rule.project === project);
    if (isThere) await this.#write(project, 0);
    return isThere;
  }

  async list(): Promise<readonly TimeToLiveRule[]> {
    return inOrder(await rulesNow(this.#context));
  }

  async preview(rule?: TimeToLiveRule): Promise<TimeToLivePreview> {
    const { connection, names, clock, projects } = this.#context;
    const rules = withPreviewed(await rulesNow(this.#context), rule);
    const cutoffs = cutoffsOf(rules, await projects(), clock.now());
    const rows = cutoffs.size === 0 ? [] : await connection.rows<[string, number, number[]]>(
      sql`SELECT toString(project), count(), groupUniqArray(day) FROM ${names.all("events")} WHERE ${isPast(cutoffs)} GROUP BY project`);
    const going = rows.map(([project, events, days]) =>
      ({ project, keptFrom: isoOfDay(dayOf(cutoffs.get(project) ?? 0)).slice(0, 10), events, days: days.length }));
    return {
      events: going.reduce((sum, { events }) => sum + events, 0),
      days: new Set(rows.flatMap(([, , days]) => days)).size,
      projects: going.sort((a, b) => compareCodePoints(a.project, b.project)),
    };
  }

  async sweep(): Promise<DeletionReceipt> {
    const { clock, projects } = this.#context;
    await this.#finishLeft();
    return await this.#deletions.run(cutoffsOf(await rulesNow(this.#context), await projects(), clock.now()));
  }

  /** @param days 0 removes the rule */
  async #write(project: string | null, days: number): Promise<void> {
    const { connection, names, random } = this.#context;
    const [[newest] = [0]] = await connection.rows<[number]>(sql`SELECT max(version) FROM ${names.all("time_to_live")}`);
    await connection.insert("time_to_live", [{ project: project ?? "", days, version: nextVersion(newest, random) }]);
  }
}
