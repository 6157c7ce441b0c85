import { DaybookError, parameterError } from "../../base/errors.js";
import { toHex } from "../../base/hash.js";
import type { Connection } from "../connection/connection.js";
import { sql, text } from "../sql/sql.js";
import { databaseStatement, tableStatements, type Place } from "./statements.js";

/** Bumped with every change of the tables. */
export const TABLES_VERSION = 3;

const VERSION = "tablesVersion";
const CURSOR_KEY = "cursorKey";

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
 * @throws unreachable, invalid_parameter (tables of a newer version)
 */
export async function migrate(connection: Connection, place: Place, isDryRun: boolean, random: (bytes: Uint8Array) => void): Promise<Migration> {
  const from = await versionOf(connection);
  if (from > TABLES_VERSION) throw tooNew(from);
  if (from === TABLES_VERSION) return { from, to: from, statements: [] };
  const statements = [...(from === 0 ? [databaseStatement(place)] : []), ...tableStatements(place, from)];
  if (isDryRun) return { from, to: TABLES_VERSION, statements };
  for (const statement of statements) await connection.define(statement);
  const key = new Uint8Array(32);
  random(key);
  const keys = from === 0 ? [{ name: CURSOR_KEY, value: toHex(key) }] : [];
  await connection.insert("kept", [...keys, { name: VERSION, value: String(TABLES_VERSION) }]);
  return { from, to: TABLES_VERSION, statements };
}

/** What is kept of the store as a whole. */
export interface Kept {
  readonly cursorKey: Uint8Array;
}

/** @throws manifest_missing (no tables), invalid_parameter (of another version), unreachable */
export async function keptOf(connection: Connection): Promise<Kept> {
  const version = await versionOf(connection);
  if (version > TABLES_VERSION) throw tooNew(version);
  if (version < TABLES_VERSION)
    throw new DaybookError("manifest_missing", "the database has no tables of this version: run `daybook clickhouse migrate`");
  // Of several the one that was there first: whoever migrated at the same moment reads the same.
  const [[key] = [""]] = await connection.rows<[string]>(sql`SELECT argMin(value, (storedMs, value)) FROM kept WHERE name = ${text(CURSOR_KEY)}`);
  return { cursorKey: Uint8Array.from(key.match(/../g) ?? [], (hex) => Number.parseInt(hex, 16)) };
}

async function versionOf(connection: Connection): Promise<number> {
  try {
    const [[version] = [0]] = await connection.rows<[number]>(sql`SELECT max(toUInt32OrZero(value)) FROM kept WHERE name = ${text(VERSION)}`);
    return version ?? 0;
  } catch (error) {
    if (error instanceof DaybookError && error.code === "manifest_missing") return 0;
    throw error;
  }
}

function tooNew(version: number): DaybookError {
  return parameterError("invalid_parameter", "database", `its tables are of version ${version}, this package knows ${TABLES_VERSION}`);
}
