import { isoOf } from "../../core/base/time.js";
import { readDeleteEvents, refuseUnknownProject, type DeleteEventsInput, type DeletionReceipt } from "../../engine/upkeep/deletions.js";
import { DEFAULT_PROJECT } from "../../core/schema/project.js";
import { sql, type Sql } from "../sql/sql.js";
import type { TableNames } from "../tables/layout.js";
import { yearsToRename, END_OF_TIME_MS, isPast, type Cutoffs } from "./past-events.js";
import { finishNamed, remove, type Note, type RemovalContext } from "./removal.js";

export interface DeletionContext extends RemovalContext {
  /** Names of all projects. */
  readonly projects: () => Promise<readonly string[]>;
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
    await this.finish(name);
    return receipt;
  }

  /** Finishes interrupted deletions of a project. */
  async finish(project: string): Promise<void> {
    await finishNamed(this.context, project);
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
