import type { Clock } from "../../core/base/clock.js";
import { uuidText, writeUuidV7 } from "../../core/base/uuid.js";
import { Sql, sql, text, uuid, texts, wholes } from "../sql/sql.js";
import { alter, systemTable, change, type Servers } from "../tables/change.js";
import { EVENT_TABLES } from "../tables/layout.js";
import { settleEventLinks, rename, isNotedPast } from "./past-events.js";

/** The kind of a note. */
export type Noted =
  | "userId" | "anonymousId" | "email" | "event" | "record" | "anew" | "link" | "traits" | "segment" | "project" | "stored" | "name" | "year" | "request";

/** A text, and a value that belongs to it. */
export type Note = readonly [kind: Noted, text: string, value?: string];

/** Context for removing rows. */
export interface RemovalContext extends Servers {
  readonly clock: Clock;
  readonly random: (bytes: Uint8Array) => void;
}

/** A removal under way: its notes are in a table, where statements and other processes find them, until it is done. */
export class Removal {
  constructor(
    readonly servers: Servers,
    /** A UUID. */
    readonly id: string,
  ) {}

  /** Begins a removal by storing its notes. */
  static async begin(context: RemovalContext, notes: readonly Note[]): Promise<Removal> {
    const bytes = new Uint8Array(16);
    writeUuidV7(context.clock.now(), context.random, bytes, 0);
    const removal = new Removal(context, uuidText(bytes));
    await removal.note(notes);
    return removal;
  }

  async note(notes: readonly Note[]): Promise<void> {
    // On all replicas: each changes its rows by the notes that it has itself.
    await this.servers.connection.insertOnAll("removals", notes.map(([kind, noted, value = ""]) => ({ removal: this.id, kind, text: noted, value })));
  }

  /** All notes, without duplicates. */
  async notes(): Promise<[kind: Noted, text: string, value: string][]> {
    const { connection, names } = this.servers;
    const rows = sql`SELECT DISTINCT kind, text, value FROM ${names.all("removals")} WHERE removal = ${uuid(this.id)}`;
    return await connection.rows<[Noted, string, string]>(rows);
  }

  /** The texts of a kind, to follow IN. */
  texts(kind: Noted): Sql {
    return sql`(SELECT text FROM ${this.#of(kind)})`;
  }

  /** Texts and their values, to follow IN. */
  pairs(kind: Noted): Sql {
    return sql`(SELECT text, value FROM ${this.#of(kind)})`;
  }

  /** The value noted for a text; `otherwise` for a text without a note. */
  valueOf(kind: Noted, of: Sql, otherwise: Sql): Sql {
    const inOrder = sql`(SELECT DISTINCT text, value FROM ${this.#of(kind)} ORDER BY text, value)`;
    return sql`transform(${of}, (SELECT groupArray(text) FROM ${inOrder}), (SELECT groupArray(value) FROM ${inOrder}), ${otherwise})`;
  }

  /** Deletes the notes; use `untilGone` to wait for their files. */
  async end(): Promise<void> {
    // Partition names cannot be bound; this one is a UUID.
    await alter(this.servers, "removals", new Sql([`DROP PARTITION '${this.id}' SETTINGS alter_sync = 2`], []));
  }

  #of(kind: Noted): Sql {
    return sql`(SELECT text, value FROM ${this.servers.names.all("removals")} WHERE removal = ${uuid(this.id)} AND kind = ${text(kind)})`;
  }
}

/** Interval between checks. */
const PAUSE_MS = 1_000;

/**
 * Waits until no server has files of changed or deleted rows; a query that reads them delays this.
 * Servers normally keep such files for some minutes; during this wait, for a second.
 */
export async function untilGone(servers: Servers, tables: readonly string[]): Promise<void> {
  const { connection, names, database } = servers;
  const all = tables.map((table) => (names.isCluster ? `${table}_local` : table));
  const former = sql`FROM ${systemTable(servers, "parts")} WHERE database = ${text(database)} AND NOT active`;
  // Only the current ones: others appear as long as rows are written.
  const since = await connection.rows<[string, number]>(
    sql`SELECT table, toUInt32(max(remove_time)) ${former} AND table IN ${texts(all)} GROUP BY table`);
  if (since.length === 0) return;
  const waiting = tables.filter((_, at) => since.some(([table]) => table === all[at]));
  const latest = sql`arrayElement(${wholes(since.map(([, time]) => time))}, indexOf(${texts(since.map(([table]) => table))}, table))`;
  for (const table of waiting) await alter(servers, table, sql`MODIFY SETTING old_parts_lifetime = 1`);
  try {
    for (;;) {
      // Idle servers clean up such files only every few minutes; dropping a partition, even a missing one, makes them do it at once.
      for (const table of waiting) await alter(servers, table, sql`DROP PARTITION ID 'none'`);
      const [[left] = [0]] = await connection.rows<[number]>(
        sql`SELECT count() ${former} AND table IN ${texts(since.map(([table]) => table))} AND toUInt32(remove_time) <= ${latest}`);
      if (left === 0) return;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  } finally {
    for (const table of waiting) await alter(servers, table, sql`RESET SETTING old_parts_lifetime`);
  }
}

/** Removes events by id and project or by time, records by id, and project names; resolves once their files are gone. */
export async function remove(context: RemovalContext, notes: readonly Note[]): Promise<void> {
  if (notes.length > 0) await perform(await Removal.begin(context, notes));
}

/** Performs a removal that was noted before, and may be partly done. */
async function perform(removal: Removal): Promise<void> {
  const { servers } = removal;
  const noted = await removal.notes();
  const kinds = new Set(noted.map(([kind]) => kind));
  const ofEvents = [
    ...(kinds.has("event") ? [sql`(toString(id), toString(project)) IN ${removal.pairs("event")}`] : []),
    ...(kinds.has("project") ? [isNotedPast(removal)] : []),
  ];
  for (const table of EVENT_TABLES) for (const isGone of ofEvents) await change(servers, table, sql`DELETE WHERE ${isGone}`);
  await rename(servers, noted.filter(([kind]) => kind === "year").map(([, year]) => year));
  if (ofEvents.length > 0) await settleEventLinks(servers);
  if (kinds.has("record")) {
    await change(servers, "records", sql`DELETE WHERE toString(id) IN ${removal.texts("record")}`);
    await change(servers, "links", sql`DELETE WHERE toString(record) IN ${removal.texts("record")}`);
  }
  if (kinds.has("anew")) {
    // An unlink has the id of the record that it takes back, and stays.
    await change(servers, "records", sql`DELETE WHERE kind != 'unlink' AND toString(id) IN ${removal.texts("anew")}`);
    await change(servers, "links", sql`DELETE WHERE toString(record) IN ${removal.texts("anew")}`);
  }
  const names = noted.filter(([kind]) => kind === "name").map(([, name]) => name);
  if (names.length > 0 && !(await haveEvents(names, servers))) {
    await change(servers, "projects", sql`DELETE WHERE name IN ${removal.texts("name")}`);
    await change(servers, "time_to_live", sql`DELETE WHERE project IN ${removal.texts("name")}`);
  }
  await removal.end();
  await untilGone(servers, [...EVENT_TABLES, "links", "records", "projects", "time_to_live", "removals"]);
}

/** Whether a deleted project has events again: then it stays. */
async function haveEvents(projects: readonly string[], { connection, names }: Servers): Promise<boolean> {
  const rows = await connection.rows(sql`SELECT 1 FROM ${names.all("events")} WHERE project IN ${texts(projects)} LIMIT 1`);
  return rows.length > 0;
}

/** Finishes interrupted deletions of a project, which would otherwise delete it after it was created again. */
export async function finishNamed(servers: Servers, project: string): Promise<void> {
  const { connection, names } = servers;
  const left = await connection.rows<[string]>(sql`SELECT DISTINCT toString(removal) FROM ${names.all("removals")}
    WHERE kind = 'name' AND text = ${text(project)}`);
  for (const [id] of left) await perform(new Removal(servers, id));
}

/** In seconds. No process still works on a removal that is older. */
const LEFT_AFTER_S = 3_600;

/** Finishes what ended processes left undone. @param except erasures that have begun, which are finished elsewhere */
export async function finishLeft(servers: Servers, except: ReadonlySet<string>): Promise<void> {
  const { connection, names } = servers;
  const rows = await connection.rows<[string, Noted[]]>(sql`SELECT toString(removal), groupUniqArray(kind) FROM ${names.all("removals")}
    WHERE UUIDv7ToDateTime(removal) < now() - ${{ type: "UInt32", value: LEFT_AFTER_S }} GROUP BY removal`);
  for (const [id, kinds] of rows) {
    if (except.has(id)) continue;
    // An erasure that did not begin has to be requested again.
    if (kinds.includes("request")) await new Removal(servers, id).end();
    else await perform(new Removal(servers, id));
  }
}
