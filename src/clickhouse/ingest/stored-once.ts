import { DaybookError } from "../../base/errors.js";
import { toHex, sha256 } from "../../base/hash.js";
import { uuidText, writeUuidV7 } from "../../base/uuid.js";
import type { Connection } from "../connection/connection.js";
import { sql, uuids, type Sql } from "../sql/sql.js";
import type { TableNames } from "../tables/names.js";

/** A row that is known by its id; storing it adds the batch that it came with. */
export type RowWithId = { readonly id: string } & Readonly<Record<string, unknown>>;

/** What is needed to store rows of one table. */
export interface StoreOf {
  readonly connection: Connection;
  readonly names: TableNames;
  /** Of the cluster; null: one server. */
  readonly cluster: string | null;
  readonly table: "events" | "records";
  /** Rows among which an id stands once. */
  readonly among: Sql;
  readonly nowMs: number;
  readonly random: (bytes: Uint8Array) => void;
}

/** Tries of an insert whose answer was lost, and the pause before the second, which doubles. */
const TRY_COUNT = 4;
const PAUSE_MS = 100;

/**
 * Stores rows of different ids, each once, whoever else stores the same at the same moment: looks which are there, inserts the others, and looks
 * again. Answers the ids that this call brought. Cost: two look-ups of the ids beside the insert.
 */
export async function storeOnce(rows: readonly RowWithId[], store: StoreOf): Promise<ReadonlySet<string>> {
  const known = new Set((await batchesOf(rows.map(({ id }) => id), store)).map(([id]) => id));
  const fresh = rows.filter(({ id }) => !known.has(id));
  if (known.size > 0) await relink([...known], store);
  if (fresh.length === 0) return new Set();
  const bytes = new Uint8Array(16);
  writeUuidV7(store.nowMs, store.random, bytes, 0);
  const batch = uuidText(bytes);
  await insertSurely(fresh.map((row) => Object.assign(row, { batch })), store);
  return await keepFirst(fresh.map(({ id }) => id), batch, store);
}

type BatchOfId = [id: string, batch: string, storedMs: number];

async function batchesOf(ids: readonly string[], { connection, names, table, among }: StoreOf): Promise<BatchOfId[]> {
  const rows = sql`FROM ${names.all(table)} WHERE id IN ${uuids(ids)} AND ${among}`;
  return await connection.rows<BatchOfId>(sql`SELECT id, batch, storedMs ${rows} ORDER BY id, storedMs, batch`);
}

/** An insert whose answer is lost may have come through: under its token the same again is stored once. */
async function insertSurely(rows: readonly RowWithId[], { connection, table }: StoreOf): Promise<void> {
  const token = toHex(sha256(new TextEncoder().encode(rows.map(({ id, batch }) => `${id}${String(batch)}`).join(""))));
  for (let tries = 1; ; tries += 1) {
    try {
      await connection.insert(table, rows, token);
      return;
    } catch (error) {
      if (!(error instanceof DaybookError) || error.code !== "unreachable" || tries === TRY_COUNT) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** (tries - 1)));
    }
  }
}

/** Of an id that several brought at once the first stays, and whoever sees the others deletes them. Answers the ids that stay as this batch's. */
async function keepFirst(ids: readonly string[], batch: string, store: StoreOf): Promise<ReadonlySet<string>> {
  const own = new Set<string>();
  const seen = new Set<string>();
  const later: { readonly id: string; readonly batch: string }[] = [];
  for (const [id, of] of await batchesOf(ids, store)) {
    if (seen.has(id)) later.push({ id, batch: of });
    else if (of === batch) own.add(id);
    seen.add(id);
  }
  if (later.length > 0) await deleteLater(later, store);
  return own;
}

async function deleteLater(later: readonly { readonly id: string; readonly batch: string }[], store: StoreOf): Promise<void> {
  const { connection, names, table, among } = store;
  const [ids, batches] = [later.map(({ id }) => id), later.map(({ batch }) => batch)];
  const isLater = sql`id IN ${uuids(ids)} AND has(arrayZip(${uuids(ids)}, ${uuids(batches)}), (id, batch))`;
  const altered = sql`ALTER TABLE ${names.ofShard(table)}${onCluster(store)}`;
  await connection.command(sql`${altered} DELETE WHERE ${among} AND ${isLater} SETTINGS mutations_sync = 2`);
  await relink(ids, store);
}

/** Writes the links of stored rows once more: whoever stored them may have failed before these were written. */
async function relink(ids: readonly string[], { connection, names, table, among }: StoreOf): Promise<void> {
  const isLink = sql`id IN ${uuids(ids)} AND ${among} AND anonymousId != '' AND userId != ''`;
  const rows = table === "events" ? sql`toUUID('00000000-0000-0000-0000-000000000000'), min(ms)` : sql`id, min(ms)`;
  const rest = table === "events" ? sql`` : sql`, id`;
  const kinds = table === "events" ? sql`` : sql` AND kind IN ('identify', 'alias') AND fromUserId != userId`;
  await connection.command(sql`INSERT INTO ${names.all("links")} (anonymousId, userId, record, firstMs)
    SELECT anonymousId, userId, ${rows} FROM ${names.all(table)} WHERE ${isLink}${kinds} GROUP BY anonymousId, userId${rest}`);
}

function onCluster({ cluster }: StoreOf): Sql {
  return cluster === null ? sql`` : sql` ON CLUSTER ${{ type: "Identifier", value: cluster }}`;
}
