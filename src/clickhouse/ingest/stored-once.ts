import { DaybookError } from "../../base/errors.js";
import { toHex, sha256 } from "../../base/hash.js";
import { uuidText, writeUuidV7 } from "../../base/uuid.js";
import { isTurnOfOthers, TURN_MS, untilNextTurn } from "../connection/turns.js";
import { sql, uuids, type Sql } from "../sql/sql.js";
import { change, type Servers } from "../tables/change.js";

/** A row that is known by its id; storing it adds the batch that it came with. */
export type RowWithId = { readonly id: string } & Readonly<Record<string, unknown>>;

/** What is needed to store rows of one table. */
export interface StoreOf extends Servers {
  readonly table: "events" | "records";
  /** Rows among which an id stands once. */
  readonly among: Sql;
  readonly nowMs: number;
  readonly random: (bytes: Uint8Array) => void;
}

/** Tries of an insert whose answer was lost, and the pause before the second, which doubles. */
const TRY_COUNT = 4;
const PAUSE_MS = 100;

/** Ids of one statement that deletes: they are sent in its address, of which no more than some 16 KiB are read. */
const DELETED_AT_ONCE = 100;

/**
 * Stores rows of different ids, each once, whoever else stores the same at the same moment: looks which are there, inserts the others, and looks
 * again. Answers the ids that this call brought; each of them was seen to be there. Cost: two look-ups of the ids beside the insert.
 */
export async function storeOnce(rows: readonly RowWithId[], store: StoreOf): Promise<ReadonlySet<string>> {
  const there = await batchesOf(rows.map(({ id }) => id), store);
  const known = new Set(there.map(([id]) => id));
  const left = laterOf(there);
  // Whoever should have deleted them did not come to it.
  if (left.length > 0) await deleteLater(left, store);
  const fresh = rows.filter(({ id }) => !known.has(id));
  if (known.size > 0) await deriveAgain([...known], store);
  if (fresh.length === 0) return new Set();
  const ids = fresh.map(({ id }) => id);
  // Made of the ids alone: whoever sends the same again while the server still is at this insert stores nothing beside it.
  const batches = await insertSurely(fresh, ids.join(""), store);
  let now = await batchesOf(ids, store);
  const stored = new Set(now.map(([id]) => id));
  const passed = fresh.filter(({ id }) => !stored.has(id));
  if (passed.length > 0) {
    // The server remembers such an insert, of which rows were deleted since.
    batches.push(...(await insertSurely(passed, [...batches, ...ids].join(""), store)));
    now = await batchesOf(ids, store);
  }
  return await keepFirst(now, new Set(batches), store);
}

type BatchOfId = [id: string, batch: string, storedMs: number];

async function batchesOf(ids: readonly string[], { connection, names, table, among }: StoreOf): Promise<BatchOfId[]> {
  const rows = sql`FROM ${names.all(table)} WHERE id IN ${uuids(ids)} AND ${among}`;
  return await connection.rows<BatchOfId>(sql`SELECT id, batch, storedMs ${rows} ORDER BY id, storedMs, batch`);
}

/**
 * An insert whose answer is lost may have come through: under its token the same is stored once, as long as the server remembers it. Each try is a
 * batch of its own, so that otherwise the rows of one of them can be deleted. Answers the batches.
 */
async function insertSurely(rows: readonly RowWithId[], token: string, { connection, table, nowMs, random }: StoreOf): Promise<string[]> {
  const hash = toHex(sha256(new TextEncoder().encode(token)));
  const batches: string[] = [];
  const endMs = performance.now() + TURN_MS;
  let lostCount = 0;
  for (;;) {
    const bytes = new Uint8Array(16);
    writeUuidV7(nowMs, random, bytes, 0);
    const batch = uuidText(bytes);
    batches.push(batch);
    try {
      await connection.insert(table, rows.map((row) => Object.assign(row, { batch })), hash);
      return batches;
    } catch (error) {
      if (isTurnOfOthers(error) && performance.now() < endMs) {
        await untilNextTurn();
        continue;
      }
      lostCount += 1;
      if (!(error instanceof DaybookError) || error.code !== "unreachable" || lostCount === TRY_COUNT) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** (lostCount - 1)));
    }
  }
}

/** Of an id that several brought at once the first stays, and whoever sees the others deletes them. Answers the ids that stay as these batches'. */
async function keepFirst(there: readonly BatchOfId[], batches: ReadonlySet<string>, store: StoreOf): Promise<ReadonlySet<string>> {
  const later = laterOf(there);
  if (later.length > 0) await deleteLater(later, store);
  const gone = new Set(later.map((row) => `${row.id} ${row.batch}`));
  return new Set(there.filter(([id, of]) => batches.has(of) && !gone.has(`${id} ${of}`)).map(([id]) => id));
}

interface StoredRow {
  readonly id: string;
  readonly batch: string;
}

/** Of rows by id and then by time, those that are not the first of their id. */
function laterOf(there: readonly BatchOfId[]): StoredRow[] {
  return there.flatMap(([id, batch], at) => (there[at - 1]?.[0] === id ? [{ id, batch }] : []));
}

async function deleteLater(later: readonly StoredRow[], store: StoreOf): Promise<void> {
  const { table, among } = store;
  for (let from = 0; from < later.length; from += DELETED_AT_ONCE) {
    const some = later.slice(from, from + DELETED_AT_ONCE);
    const [ids, batches] = [some.map(({ id }) => id), some.map(({ batch }) => batch)];
    const isLater = sql`id IN ${uuids(ids)} AND has(arrayZip(${uuids(ids)}, ${uuids(batches)}), (id, batch))`;
    await change(store, table, sql`DELETE WHERE ${among} AND ${isLater}`);
  }
  await deriveAgain(later.map(({ id }) => id), store);
}

type Link = [anonymousId: string, userId: string, record: string, firstMs: number];

/** Writes the links and projects of stored rows once more: whoever stored them may have failed before these were written. */
async function deriveAgain(ids: readonly string[], store: StoreOf): Promise<void> {
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
  const rows = table === "events" ? sql`toUUID('00000000-0000-0000-0000-000000000000') AS record, min(ms)` : sql`id AS record, min(ms)`;
  const kinds = table === "events" ? sql`` : sql` AND kind IN ('identify', 'alias') AND fromUserId != userId`;
  // Read, then inserted: so many ids have no room in the address of a statement that inserts what it selects.
  const links = await connection.rows<Link>(sql`SELECT anonymousId, userId, ${rows} FROM ${names.all(table)}
    WHERE ${isLink}${kinds} GROUP BY anonymousId, userId, record`);
  await connection.insert("links", links.map(([anonymousId, userId, record, firstMs]) => ({ anonymousId, userId, record, firstMs })));
}
