import type { Clock } from "../../core/base/time.js";
import { newUuidText } from "../../core/base/uuid.js";
import type { Connection } from "../connection/connection.js";
import { NO_ID, raw, sql, text, texts, uuid, wholes, type Sql } from "../sql/sql.js";
import { EVENT_TABLES, METADATA_TYPE, YEAR } from "../tables/layout.js";
import { alter, systemTable, change, type Servers } from "../tables/servers.js";

export type Noted =
  | "userId" | "anonymousId" | "email" | "event" | "record" | "anew" | "link" | "traits" | "segment" | "project" | "stored" | "name" | "year" | "request";

export type Note = readonly [kind: Noted, text: string, value?: string];

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

  static async begin(context: RemovalContext, notes: readonly Note[]): Promise<Removal> {
    const removal = new Removal(context, newUuidText(context.clock.now(), context.random));
    await removal.note(notes);
    return removal;
  }

  async note(notes: readonly Note[]): Promise<void> {
    // On all replicas: each changes its rows by the notes that it has itself.
    await this.servers.connection.insertOnAll("removals", notes.map(([kind, noted, value = ""]) => ({ removal: this.id, kind, text: noted, value })));
  }

  async notes(): Promise<[kind: Noted, text: string, value: string][]> {
    const { connection, names } = this.servers;
    const rows = sql`SELECT DISTINCT kind, text, value FROM ${names.all("removals")} WHERE removal = ${uuid(this.id)}`;
    return await connection.rows<[Noted, string, string]>(rows);
  }

  /** The texts of a kind, to follow IN. */
  texts(kind: Noted): Sql {
    return sql`(SELECT text FROM ${this.#of(kind)})`;
  }

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
    await alter(this.servers, "removals", raw(`DROP PARTITION '${this.id}' SETTINGS alter_sync = 2`));
  }

  #of(kind: Noted): Sql {
    return sql`(SELECT text, value FROM ${this.servers.names.all("removals")} WHERE removal = ${uuid(this.id)} AND kind = ${text(kind)})`;
  }
}

/** The events to delete: for each project, those before an instant, epoch ms. */
export type Cutoffs = ReadonlyMap<string, number>;

/** Later than any stored event. */
export const END_OF_TIME_MS = 2 ** 53;

export function isPast(cutoffs: Cutoffs): Sql {
  const projects = texts([...cutoffs.keys()]);
  return sql`has(${projects}, toString(project)) AND ms < arrayElement(${wholes([...cutoffs.values()])}, indexOf(${projects}, toString(project)))`;
}

/** The same as noted, for events stored by then: later ones stay, however late an interrupted removal is finished. */
function isNotedPast(removal: Removal): Sql {
  const cutoff = removal.valueOf("project", sql`toString(project)`, sql`'0'`);
  return sql`project IN ${removal.texts("project")} AND ms < toUInt64(${cutoff}) AND ${wasStored(removal)}`;
}

/** Whether a row was stored no later than the last row to remove, as noted. */
export function wasStored(removal: Removal): Sql {
  return sql`storedMs <= (SELECT toUInt64(max(text)) FROM ${removal.texts("stored")})`;
}

function linksOf(events: Sql): Sql {
  return sql`SELECT anonymousId, userId, min(ms) AS firstMs FROM ${events} WHERE anonymousId != '' AND userId != '' GROUP BY anonymousId, userId`;
}

/** Matches the links made by events to the remaining events. Cost: all events with both ids, and all links. */
export async function settleEventLinks(servers: Servers): Promise<void> {
  const { connection, names } = servers;
  // Links lie on the shard of their events.
  const right = linksOf(names.ofShard("events"));
  await change(servers, "links", sql`DELETE WHERE record = ${NO_ID} AND (anonymousId, userId, firstMs) NOT IN (${right})`);
  const there = sql`SELECT anonymousId, userId, firstMs FROM ${names.all("links")} WHERE record = ${NO_ID}`;
  await connection.command(sql`INSERT INTO ${names.all("links")} (anonymousId, userId, record, firstMs)
    SELECT anonymousId, userId, ${NO_ID} AS record, firstMs FROM (${linksOf(names.all("events"))})
    WHERE (anonymousId, userId, firstMs) GLOBAL NOT IN (${there})`);
}

const year = raw(YEAR);

/** The years of rows to remove with a metadata key that no remaining row has: their parts keep its name. Cost: the metadata of all events. */
export async function yearsToRename({ connection, names }: Pick<Servers, "connection" | "names">, isGone: Sql): Promise<Note[]> {
  const events = names.all("events");
  const paths = sql`SELECT DISTINCT arrayJoin(JSONAllPaths(metadata)) AS path FROM ${events}`;
  const own = sql`SELECT path FROM (${paths} WHERE ${isGone}) WHERE path GLOBAL NOT IN (${paths} WHERE NOT (${isGone}))`;
  const lonely = await connection.rows<[string]>(own);
  if (lonely.length === 0) return [];
  const has = sql`hasAny(JSONAllPaths(metadata), ${texts(lonely.map(([path]) => path))})`;
  const rows = await connection.rows<[number]>(sql`SELECT DISTINCT ${year} FROM ${events} WHERE (${isGone}) AND ${has}`);
  return rows.map(([each]) => ["year", String(each)]);
}

/** Rewrites the metadata of some years, to drop names that no row has any more. Cost: all events of these years. */
export async function rename(servers: Servers, years: readonly string[]): Promise<void> {
  if (years.length === 0) return;
  const anew = sql`CAST(toString(metadata), ${raw(`'${METADATA_TYPE}'`)})`;
  await change(servers, "events", sql`UPDATE metadata = ${anew} WHERE ${year} IN ${wholes(years.map(Number))}`);
}

const PAUSE_MS = 1_000;

/** A query that reads former rows delays this. Servers normally keep their files for some minutes; during this wait, for a second. */
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
  for (const kind of (["record", "anew"] as const).filter((each) => kinds.has(each))) {
    // An unlink has the id of the record that it takes back. It stays where that record is stored again.
    const isOf = kind === "record" ? sql`toString(id)` : sql`kind != 'unlink' AND toString(id)`;
    await change(servers, "records", sql`DELETE WHERE ${isOf} IN ${removal.texts(kind)}`);
    await change(servers, "links", sql`DELETE WHERE toString(record) IN ${removal.texts(kind)}`);
  }
  const names = noted.filter(([kind]) => kind === "name").map(([, name]) => name);
  const events = sql`SELECT 1 FROM ${servers.names.all("events")} WHERE project IN ${texts(names)} LIMIT 1`;
  // A deleted project that has events again stays.
  if (names.length > 0 && !(await servers.connection.hasRows(events))) {
    await change(servers, "projects", sql`DELETE WHERE name IN ${removal.texts("name")}`);
    await change(servers, "time_to_live", sql`DELETE WHERE project IN ${removal.texts("name")}`);
  }
  await removal.end();
  await untilGone(servers, [...EVENT_TABLES, "links", "records", "projects", "time_to_live", "removals"]);
}

/** Finishes interrupted deletions of a project, which would otherwise delete it after it was created again. */
export async function finishNamed(servers: Servers, reader: Connection, project: string): Promise<void> {
  const left = await reader.rows<[string]>(sql`SELECT DISTINCT toString(removal) FROM ${servers.names.all("removals")}
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
