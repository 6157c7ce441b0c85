import { DaybookError, parameterError } from "../../base/errors.js";
import { toHex } from "../../base/hash.js";
import type { Connection } from "../connection/connection.js";
import { sql, text } from "../sql/sql.js";
import { refuseForeignTables } from "./foreign-tables.js";
import { areOnAllServers, isReplicated, refuseOtherTables, type Cluster } from "./replicas.js";
import { databaseStatement, tableStatements } from "./statements.js";

/** Raised with every change of the tables. */
export const TABLES_VERSION = 5;

const VERSION = "tablesVersion";
/** Kept of tables with replicas. */
const REPLICATED = "replicated";
/** Keys, and the version that brought them. */
const CURSOR_KEY = "cursorKey";
const SUPPRESSION_KEY = "suppressionKey";
const KEYS: readonly (readonly [name: string, since: number])[] = [[CURSOR_KEY, 1], [SUPPRESSION_KEY, 4]];

/** Where tables are to be, and whether with replicas; null: as the cluster has it, or as they are. */
export interface Target {
  readonly database: string;
  readonly cluster: Cluster | null;
  readonly replicas: boolean | null;
}

/** What making the tables would do, or did. */
export interface Migration {
  /** The version of the tables that were there; 0 for none. */
  readonly from: number;
  readonly to: number;
  readonly statements: readonly string[];
}

/**
 * Makes the database and its tables, or brings them to the version of this package. May be run by several at once, and again after it failed.
 * @param isDryRun only tells what would be done
 * @throws unreachable, invalid_parameter (tables of a newer version, or of others, or replicas that do not fit what is there)
 */
export async function migrate(connection: Connection, target: Target, isDryRun: boolean, random: (bytes: Uint8Array) => void): Promise<Migration> {
  const { database, cluster, replicas } = target;
  const tables = { database, cluster: cluster?.name ?? null };
  await refuseForeignTables(connection, tables, ({ name }) => name === "kept");
  const { version: from, isReplicated: isThere } = await stateOf(connection);
  if (from > TABLES_VERSION) throw tooNew(from);
  if (from < TABLES_VERSION) await refuseForeignTables(connection, tables, ({ since }) => since > from);
  const found = { asked: replicas, cluster, isThere: from === 0 ? null : isThere };
  const place = { ...tables, isReplicated: isReplicated(found) };
  const of = place.isReplicated ? cluster : null;
  if (of !== null && from === 0) await refuseOtherTables(connection, place);
  // A server that came later has nothing yet.
  const isAnew = from === 0 || (from === TABLES_VERSION && of !== null && !(await areOnAllServers(connection, place, of)));
  const statements = isAnew ? [databaseStatement(place), ...tableStatements(place, 0)] : tableStatements(place, from);
  if (isDryRun) return { from, to: TABLES_VERSION, statements };
  for (const statement of statements) await connection.define(statement);
  if (of !== null && isAnew && !(await areOnAllServers(connection, place, of)))
    throw parameterError("invalid_parameter", "cluster", `expected all servers of ${of.name} to have the tables by now, and some have none`);
  if (from === TABLES_VERSION) return { from, to: from, statements };
  const keys = KEYS.filter(([, since]) => since > from).map(([name]) => {
    const key = new Uint8Array(32);
    random(key);
    return { name, value: toHex(key) };
  });
  const replicated = of === null || from !== 0 ? [] : [{ name: REPLICATED, value: "1" }];
  if (keys.length + replicated.length > 0) await connection.insert("kept", [...keys, ...replicated]);
  // Last, and by itself: rows of one insert lie on several shards, of which some may have refused theirs.
  await connection.insert("kept", [{ name: VERSION, value: String(TABLES_VERSION) }]);
  return { from, to: TABLES_VERSION, statements };
}

/** What is kept of the store as a whole. */
export interface Kept {
  readonly cursorKey: Uint8Array;
  /** Who was erased is known by hashes under it alone. */
  readonly suppressionKey: Uint8Array;
  readonly isReplicated: boolean;
}

/** @throws manifest_missing (no tables, or no keys), invalid_parameter (of another version), unreachable */
export async function keptOf(connection: Connection): Promise<Kept> {
  const { version, isReplicated } = await stateOf(connection);
  if (version > TABLES_VERSION) throw tooNew(version);
  if (version < TABLES_VERSION)
    throw new DaybookError("manifest_missing", "the database has no tables of this version: run `daybook clickhouse migrate`");
  // Of several the one that was there first: whoever migrated at the same moment reads the same.
  const rows = await connection.rows<[string, string]>(sql`SELECT name, argMin(value, (storedMs, value)) FROM kept GROUP BY name`);
  const values = new Map(rows);
  const keyOf = (name: string) => {
    const hex = values.get(name);
    if (hex === undefined) throw new DaybookError("manifest_missing", `expected ${name} in the table kept, it is missing: nobody can work without it`);
    return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  };
  return { cursorKey: keyOf(CURSOR_KEY), suppressionKey: keyOf(SUPPRESSION_KEY), isReplicated };
}

/** Version 0: there are no tables. */
async function stateOf(connection: Connection): Promise<{ readonly version: number; readonly isReplicated: boolean }> {
  const isOf = (name: string) => sql`name = ${text(name)}`;
  try {
    const rows = await connection.rows<[number, number]>(
      sql`SELECT maxIf(toUInt32OrZero(value), ${isOf(VERSION)}), countIf(${isOf(REPLICATED)}) FROM kept`);
    const [[version, replicated] = [0, 0]] = rows;
    return { version, isReplicated: replicated > 0 };
  } catch (error) {
    if (error instanceof DaybookError && error.code === "manifest_missing") return { version: 0, isReplicated: false };
    throw error;
  }
}

function tooNew(version: number): DaybookError {
  return parameterError("invalid_parameter", "database", `its tables are of version ${version}, this package knows ${TABLES_VERSION}`);
}
