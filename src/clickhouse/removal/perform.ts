import { sql, text, texts } from "../sql/sql.js";
import { change, type Servers } from "../tables/change.js";
import { EVENT_TABLES } from "../tables/layout.js";
import { settleEventLinks } from "./event-links.js";
import { rename } from "./metadata-names.js";
import { isNotedPast } from "./past-events.js";
import { Removal, type Note, type Noted, type RemovalContext } from "./removal.js";
import { untilGone } from "./until-gone.js";

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
