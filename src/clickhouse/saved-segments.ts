import {
  type SavedSegment, type Segments, bytesOf, checkedSegment, shownSegment, shownSegments, withSegment,
} from "../engine/query/saved-segments.js";
import type { PeopleSegment } from "../query/plan/input.js";
import type { StoredSegment } from "../store/files/side-files.js";
import type { Connection } from "./connection/connection.js";
import { sql } from "./sql/sql.js";
import type { TableNames } from "./tables/layout.js";
import { nextVersion } from "./tables/servers.js";

/** Saved segments in a table: one row per change; the newest of a name counts. */
export class SegmentsTable implements Segments {
  constructor(
    readonly connection: Connection,
    readonly tables: TableNames,
    readonly random: (bytes: Uint8Array) => void,
  ) {}

  async put(name: string, segment: PeopleSegment): Promise<SavedSegment> {
    const saved = await checkedSegment(name, segment);
    const { byName, newest } = await this.#read();
    bytesOf(withSegment(byName, saved));
    await this.#write(name, JSON.stringify(saved.groups), newest);
    return shownSegment(saved);
  }

  async list(): Promise<readonly SavedSegment[]> {
    return shownSegments((await this.#read()).byName);
  }

  async delete(name: string): Promise<boolean> {
    const { byName, newest } = await this.#read();
    if (!byName.has(name)) return false;
    await this.#write(name, "", newest);
    return true;
  }

  async known(): Promise<ReadonlyMap<string, unknown>> {
    return new Map([...(await this.#read()).byName].map(([name, { groups }]) => [name, { groups }]));
  }

  async #read(): Promise<{ readonly byName: ReadonlyMap<string, StoredSegment>; readonly newest: number }> {
    const rows = await this.connection.rows<[name: string, groups: string, version: number]>(
      sql`SELECT name, argMax(groups, version), max(version) FROM ${this.tables.all("segments")} GROUP BY name ORDER BY name`);
    const there = rows.filter(([, groups]) => groups !== "");
    const byName = new Map(there.map(([name, groups]) => [name, { name, groups: JSON.parse(groups) as readonly unknown[] }]));
    return { byName, newest: rows.reduce((newest, [, , version]) => Math.max(newest, version), 0) };
  }

  /** @param groups as JSON; `""` deletes the segment @param newest the latest stored version */
  async #write(name: string, groups: string, newest: number): Promise<void> {
    await this.connection.insert("segments", [{ name, groups, version: nextVersion(newest, this.random) }]);
  }
}

/** Stands in for the saved segments, to detect whether a query names one. */
export class UnreadSegments extends Map<string, unknown> {
  wasRead = false;

  override has(name: string): boolean {
    this.wasRead = true;
    return super.has(name);
  }
}
