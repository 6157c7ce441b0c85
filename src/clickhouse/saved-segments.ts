import {
  type SavedSegment, type Segments, bytesOf, checkedSegment, shownSegment, shownSegments, withSegment,
} from "../engine/query/saved-segments.js";
import type { PeopleSegment } from "../query/plan/input.js";
import type { StoredSegment } from "../store/files/side-files.js";
import { sql } from "./sql/sql.js";
import { insertNewer } from "./tables/servers.js";

/** Saved segments in a table: one row per change; the newest of a name counts. */
export class SegmentsTable implements Segments {
  constructor(readonly context: Parameters<typeof insertNewer>[0]) {}

  async put(name: string, segment: PeopleSegment): Promise<SavedSegment> {
    const saved = await checkedSegment(name, segment);
    bytesOf(withSegment(await this.#read(), saved));
    await this.#write(name, JSON.stringify(saved.groups));
    return shownSegment(saved);
  }

  async list(): Promise<readonly SavedSegment[]> {
    return shownSegments(await this.#read());
  }

  async delete(name: string): Promise<boolean> {
    const isThere = (await this.#read()).has(name);
    if (isThere) await this.#write(name, "");
    return isThere;
  }

  async known(): Promise<ReadonlyMap<string, unknown>> {
    return new Map([...(await this.#read())].map(([name, { groups }]) => [name, { groups }]));
  }

  async #read(): Promise<ReadonlyMap<string, StoredSegment>> {
    const rows = await this.context.connection.rows<[name: string, groups: string]>(
      sql`SELECT name, argMax(groups, version) FROM ${this.context.names.all("segments")} GROUP BY name ORDER BY name`);
    const there = rows.filter(([, groups]) => groups !== "");
    return new Map(there.map(([name, groups]) => [name, { name, groups: JSON.parse(groups) as readonly unknown[] }]));
  }

  /** @param groups as JSON; `""` deletes the segment */
  async #write(name: string, groups: string): Promise<void> {
    await insertNewer(this.context, "segments", [{ name, groups }]);
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
