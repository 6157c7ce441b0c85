import { compareCodePoints } from "../../core/base/text-order.js";
import { dayOf, isoOf, isoOfDay } from "../../core/base/time.js";
import { TimeToLiveRules } from "../../engine/ingest/suppression.js";
import {
  inOrder, readProject, readRule, withPreviewed, withRule, type TimeToLiveRule, type TimeToLive, type TimeToLivePreview,
} from "../../engine/upkeep/time-to-live.js";
import { readDeleteEvents, refuseUnknownProject, type DeleteEventsInput, type DeletionReceipt } from "../../engine/upkeep/deletions.js";
import { DEFAULT_PROJECT } from "../../core/schema/fields.js";
import type { Connection } from "../connection/connection.js";
import { sql, type Sql } from "../sql/sql.js";
import type { TableNames } from "../tables/layout.js";
import { insertNewer, type Servers } from "../tables/servers.js";
import { END_OF_TIME_MS, finishNamed, isPast, remove, yearsToRename, type Cutoffs, type Note, type RemovalContext } from "./removal.js";

interface DeletionContext extends RemovalContext {
  readonly projects: () => Promise<readonly string[]>;
  /** With the time limit of statements. */
  readonly usual: Connection;
}

/** Deletes events. Answers omit them once their table has changed; calls resolve once the files of the servers no longer hold them. */
export class ClickHouseDeletions {
  constructor(readonly context: DeletionContext) {}

  async deleteEvents(input: DeleteEventsInput): Promise<DeletionReceipt> {
    const { beforeMs, project } = readDeleteEvents(input);
    const projects = await this.context.projects();
    if (project !== null) refuseUnknownProject(project, projects);
    return await this.run(new Map((project === null ? projects : [project]).map((name) => [name, beforeMs])));
  }

  async deleteProject(name: string): Promise<DeletionReceipt> {
    refuseUnknownProject(name, await this.context.projects());
    const receipt = await this.run(new Map([[name, END_OF_TIME_MS]]), name === DEFAULT_PROJECT ? [] : [["name", name]]);
    // Without a time limit: the deletion is done, and a repeated call would find no such project.
    await finishNamed(this.context, this.context.connection, name);
    return receipt;
  }

  /** Finishes interrupted deletions of a project, within the time limit of statements. */
  async finish(project: string): Promise<void> {
    await finishNamed(this.context, this.context.usual, project);
  }

  /** @param beside notes of what to remove besides the events */
  async run(cutoffs: Cutoffs, beside: readonly Note[] = []): Promise<DeletionReceipt> {
    const { clock } = this.context;
    const { lastStoredMs, ...counts } = cutoffs.size === 0 ? NOTHING : await this.#counts(cutoffs);
    const past = [...cutoffs].map(([project, beforeMs]): Note => ["project", project, String(beforeMs)]);
    const stored: Note = ["stored", String(lastStoredMs)];
    const notes = counts.events === 0 ? [] : [...past, stored, ...(await yearsToRename(this.context, isPast(cutoffs)))];
    await remove(this.context, [...notes, ...beside]);
    // ClickHouse has no dictionaries.
    return { deletedAt: isoOf(clock.now()), ...counts, dictionaryValues: 0 };
  }

  async #counts(cutoffs: Cutoffs): Promise<typeof NOTHING> {
    const { connection, names } = this.context;
    const isGone = isPast(cutoffs);
    const parts = sql`SELECT countIf(${isGone}) AS gone, count() AS whole, maxIf(storedMs, ${isGone}) AS last
      FROM ${names.all("events")} GROUP BY ${partOf(names)}`;
    const [[events, segmentsRewritten, segmentsRemoved, lastStoredMs] = [0, 0, 0, 0]] = await connection.rows<[number, number, number, number]>(
      sql`SELECT sum(gone), countIf(gone > 0 AND gone < whole), countIf(gone = whole), max(last) FROM (${parts})`);
    return { events, segmentsRewritten, segmentsRemoved, lastStoredMs };
  }
}

/** Counts of what is deleted; `lastStoredMs` is when the last of it was stored, by the servers' clocks. */
const NOTHING = { events: 0, segmentsRewritten: 0, segmentsRemoved: 0, lastStoredMs: 0 };

/** The part of a table that holds a row, across all servers. */
export function partOf(names: TableNames): Sql {
  return names.isCluster ? sql`(_shard_num, _part)` : sql`_part`;
}

/** A rule as statements select it: `""` stands for all projects without a rule of their own. */
export type RuleColumns = readonly [project: string, days: number];

export function rulesInForce(names: TableNames): Sql {
  return sql`SELECT project, argMax(days, version) AS kept FROM ${names.all("time_to_live")} GROUP BY project HAVING kept > 0`;
}

export function rulesOf(rows: readonly RuleColumns[]): TimeToLiveRule[] {
  return rows.map(([project, days]) => ({ project: project === "" ? null : project, days }));
}

async function rulesNow({ connection, names }: Servers): Promise<TimeToLiveRule[]> {
  return rulesOf(await connection.rows<[string, number]>(rulesInForce(names)));
}

/** The instants, epoch ms, before which events of these projects are past their time. */
function cutoffsOf(rules: readonly TimeToLiveRule[], projects: readonly string[], nowMs: number): ReadonlyMap<string, number> {
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
  constructor(context: DeletionContext, deletions: ClickHouseDeletions, finishLeft: () => Promise<void>) {
    this.#context = context;
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
    await insertNewer(this.#context, "time_to_live", [{ project: project ?? "", days }]);
  }
}
