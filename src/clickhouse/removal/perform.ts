import { sql, text, texts } from "../sql/sql.js";
import { change, type Servers } from "../tables/change.js";
import { EVENT_TABLES } from "../tables/layout.js";
import { settleEventLinks } from "./event-links.js";
import { rename } from "./metadata-names.js";
import { isNotedPast } from "./past-events.js";
import { Removal, type Note, type Noted, type RemovalContext } from "./removal.js";
import { untilGone } from "./until-gone.js";

/** Removes what is noted, settled once its files are gone: events by id and project or by time, records by id, names of projects. */
export async function remove(context: RemovalContext, notes: readonly Note[]): Promise<void> {
  if (notes.length > 0) await perform(await Removal.begin(context, notes));
}

/** The same for what was noted before, which may be done in part. */
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
    // What takes a record back bears its id, and stays.
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

/** Whether events have come again of what was deleted: then it stays. */
async function haveEvents(projects: readonly string[], { connection, names }: Servers): Promise<boolean> {
  const rows = await connection.rows(sql`SELECT 1 FROM ${names.all("events")} WHERE project IN ${texts(projects)} LIMIT 1`);
  return rows.length > 0;
}

/** Finishes deletions of a project that broke off: whoever makes it anew must not lose it to them. */
export async function finishNamed(servers: Servers, project: string): Promise<void> {
  const { connection, names } = servers;
  const left = await connection.rows<[string]>(sql`SELECT DISTINCT toString(removal) FROM ${names.all("removals")}
    WHERE kind = 'name' AND text = ${text(project)}`);
  for (const [id] of left) await perform(new Removal(servers, id));
}

/** A removal that is older is nobody's any more. */
const LEFT_AFTER_S = 3_600;

/** Finishes what processes that ended left undone. @param except erasures that have begun, which others finish */
export async function finishLeft(servers: Servers, except: ReadonlySet<string>): Promise<void> {
  const { connection, names } = servers;
  const rows = await connection.rows<[string, Noted[]]>(sql`SELECT toString(removal), groupUniqArray(kind) FROM ${names.all("removals")}
    WHERE UUIDv7ToDateTime(removal) < now() - ${{ type: "UInt32", value: LEFT_AFTER_S }} GROUP BY removal`);
  for (const [id, kinds] of rows) {
    if (except.has(id)) continue;
    // An erasure that did not begin: whoever wants it asks again.
    if (kinds.includes("request")) await new Removal(servers, id).end();
    else await perform(new Removal(servers, id));
  }
}
