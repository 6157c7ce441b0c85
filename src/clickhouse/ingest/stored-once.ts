import { DaybookError } from "../../core/base/errors.js";
import { toHex, sha256 } from "../../core/base/hash.js";
import { newUuidText } from "../../core/base/uuid.js";
import { conflictEndMs, inTurn } from "../connection/reach.js";
import { NO_ID, sql, texts, uuids, type Sql } from "../sql/sql.js";
import { change, type Servers } from "../tables/servers.js";

/** A row with a unique id, of an event within its project; storing it adds the batch it came with. */
export type RowWithId = { readonly id: string; readonly project?: string } & Readonly<Record<string, unknown>>;

export function keyOf({ id, project = "" }: Pick<RowWithId, "id" | "project">): string {
  return `${id} ${project}`;
}

export interface StoreOf extends Servers {
  readonly table: "events" | "records";
  /** Condition of the rows among which a key is unique. */
  readonly among: Sql;
  readonly nowMs: number;
  readonly random: (bytes: Uint8Array) => void;
}

/** Attempts of an insert whose answer was lost, and the pause in ms before the second, which doubles. */
const TRY_COUNT = 4;
const PAUSE_MS = 100;

/** Ids per DELETE statement: they go into its URL, of which only some 16 KiB are read. */
const DELETED_AT_ONCE = 100;

/**
 * Stores rows with distinct keys, each once, even when others store the same concurrently: reads which exist, inserts the rest, and reads again.
 * Returns the keys that this call stored, each verified to exist. Cost: two look-ups of the ids besides the insert.
 */
export async function storeOnce(rows: readonly RowWithId[], store: StoreOf): Promise<ReadonlySet<string>> {
  const there = await batchesOf(rows.map(({ id }) => id), store);
  const known = new Set(there.map(keyOf));
  const left = laterOf(there);
  // The writer that should have deleted them failed before.
  if (left.length > 0) await deleteLater(left, store);
  const fresh = rows.filter((row) => !known.has(keyOf(row)));
  if (there.length > 0) await rederive(there.map(({ id }) => id), store);
  if (fresh.length === 0) return new Set();
  const ids = fresh.map(({ id }) => id);
  const keys = fresh.map(keyOf);
  // Made of the keys alone: a caller that sends the same again while the server still runs this insert stores nothing twice.
  const batches = await insertWithRetries(fresh, keys.join(""), store);
  let now = await batchesOf(ids, store);
  const stored = new Set(now.map(keyOf));
  const passed = fresh.filter((row) => !stored.has(keyOf(row)));
  if (passed.length > 0) {
    // The server still remembers the token of an insert whose rows were deleted since, so use another.
    batches.push(...(await insertWithRetries(passed, [...batches, ...keys].join(""), store)));
    now = await batchesOf(ids, store);
  }
  return await keepFirst(now, new Set(batches), store);
}

/** Distinguishes rows of one id. Statements that persist in files of the servers contain only its hash. */
function projectIn(table: StoreOf["table"]): Sql {
  return table === "events" ? sql`toString(project)` : sql`''`;
}

function projectHashIn(table: StoreOf["table"]): Sql {
  return sql`toString(cityHash64(${projectIn(table)}))`;
}

async function batchesOf(ids: readonly string[], { connection, names, table, among }: StoreOf): Promise<StoredRow[]> {
  const rows = sql`FROM ${names.all(table)} WHERE id IN ${uuids(ids)} AND ${among}`;
  const statement = sql`SELECT id, batch, ${projectIn(table)} AS owner, ${projectHashIn(table)} ${rows} ORDER BY id, owner, storedMs, batch`;
  const found = await connection.rows<[id: string, batch: string, project: string, projectHash: string]>(statement);
  return found.map(([id, batch, project, projectHash]) => ({ id, batch, project, projectHash }));
}

/**
 * An insert whose answer is lost may have succeeded: under its token the same rows are stored once, as long as the server remembers it. Each attempt
 * is a batch of its own, so that otherwise the rows of one of them can be deleted. Returns the batches.
 */
async function insertWithRetries(rows: readonly RowWithId[], token: string, { connection, table, nowMs, random }: StoreOf): Promise<string[]> {
  const hash = toHex(sha256(new TextEncoder().encode(token)));
  const batches: string[] = [];
  const insert = async () => {
    const batch = newUuidText(nowMs, random);
    batches.push(batch);
    await connection.insert(table, rows.map((row) => Object.assign(row, { batch })), hash);
  };
  const endMs = conflictEndMs();
  for (let lostCount = 1; ; lostCount += 1) {
    try {
      await inTurn(insert, endMs);
      return batches;
    } catch (error) {
      if (!(error instanceof DaybookError) || error.code !== "unreachable" || lostCount === TRY_COUNT) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** (lostCount - 1)));
    }
  }
}

/** Of a key stored by several writers at once the first row stays; each writer deletes the others. Returns the keys whose row is of these batches. */
async function keepFirst(there: readonly StoredRow[], batches: ReadonlySet<string>, store: StoreOf): Promise<ReadonlySet<string>> {
  const later = laterOf(there);
  if (later.length > 0) await deleteLater(later, store);
  const gone = new Set(later);
  return new Set(there.filter((row) => batches.has(row.batch) && !gone.has(row)).map(keyOf));
}

interface StoredRow {
  readonly id: string;
  readonly project: string;
  readonly projectHash: string;
  readonly batch: string;
}

/** Rows that are not the first of their key, among rows sorted by key, then time. */
function laterOf(there: readonly StoredRow[]): StoredRow[] {
  return there.filter(({ id, project }, at) => there[at - 1]?.id === id && there[at - 1]?.project === project);
}

async function deleteLater(later: readonly StoredRow[], store: StoreOf): Promise<void> {
  const { table, among } = store;
  for (let from = 0; from < later.length; from += DELETED_AT_ONCE) {
    const some = later.slice(from, from + DELETED_AT_ONCE);
    const [ids, hashes, batches] = [some.map(({ id }) => id), some.map(({ projectHash }) => projectHash), some.map(({ batch }) => batch)];
    const places = sql`arrayZip(${uuids(ids)}, ${texts(hashes)}, ${uuids(batches)})`;
    const isLater = sql`id IN ${uuids(ids)} AND has(${places}, (id, ${projectHashIn(table)}, batch))`;
    await change(store, table, sql`DELETE WHERE ${among} AND ${isLater}`);
  }
  await rederive(later.map(({ id }) => id), store);
}

/** Rewrites the links and projects of stored rows: the writer that stored them may have failed before these. */
async function rederive(ids: readonly string[], store: StoreOf): Promise<void> {
  await relink(ids, store);
  if (store.table === "events") await nameProjects(ids, store);
}

async function nameProjects(ids: readonly string[], { connection, names }: StoreOf): Promise<void> {
  const [events, projects] = [names.all("events"), names.all("projects")];
  const unknown = sql`SELECT DISTINCT project FROM ${events} WHERE id IN ${uuids(ids)} AND project GLOBAL NOT IN (SELECT name FROM ${projects})`;
  await connection.insert("projects", (await connection.rows<[string]>(unknown)).map(([name]) => ({ name })));
}

async function relink(ids: readonly string[], { connection, names, table, among }: StoreOf): Promise<void> {
  const isLink = sql`id IN ${uuids(ids)} AND ${among} AND anonymousId != '' AND userId != ''`;
  const rows = table === "events" ? sql`${NO_ID} AS record, min(ms)` : sql`id AS record, min(ms)`;
  const kinds = table === "events" ? sql`` : sql` AND kind IN ('identify', 'alias') AND fromUserId != userId`;
  // Read, then inserted: so many ids do not fit into the URL of an INSERT SELECT.
  const links = await connection.rows<[string, string, string, number]>(sql`SELECT anonymousId, userId, ${rows} FROM ${names.all(table)}
    WHERE ${isLink}${kinds} GROUP BY anonymousId, userId, record`);
  await connection.insert("links", links.map(([anonymousId, userId, record, firstMs]) => ({ anonymousId, userId, record, firstMs })));
}
