import { DaybookError, parameterError } from "../../base/errors.js";
import { toHex } from "../../base/hash.js";
import type { Connection } from "../connection/connection.js";
import { sql, text } from "../sql/sql.js";
import { databaseStatement, tableStatements, type Place } from "./statements.js";

/** Raised with every change of the tables. */
export const TABLES_VERSION = 4;

const VERSION = "tablesVersion";
/** Keys, and the version that brought them. */
const CURSOR_KEY = "cursorKey";
const SUPPRESSION_KEY = "suppressionKey";
const KEYS: readonly (readonly [name: string, since: number])[] = [[CURSOR_KEY, 1], [SUPPRESSION_KEY, 4]];

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
  const keys = KEYS.filter(([, since]) => since > from).map(([name]) => {
    const key = new Uint8Array(32);
    random(key);
    return { name, value: toHex(key) };
  });
  await connection.insert("kept", [...keys, { name: VERSION, value: String(TABLES_VERSION) }]);
  return { from, to: TABLES_VERSION, statements };
}

/** What is kept of the store as a whole. */
export interface Kept {
  readonly cursorKey: Uint8Array;
  /** Who was erased is known by hashes under it alone. */
  readonly suppressionKey: Uint8Array;
}

/** @throws manifest_missing (no tables), invalid_parameter (of another version), unreachable */
export async function keptOf(connection: Connection): Promise<Kept> {
  const version = await versionOf(connection);
  if (version > TABLES_VERSION) throw tooNew(version);
  if (version < TABLES_VERSION)
    throw new DaybookError("manifest_missing", "the database has no tables of this version: run `daybook clickhouse migrate`");
  // Of several the one that was there first: whoever migrated at the same moment reads the same.
  const rows = await connection.rows<[string, string]>(sql`SELECT name, argMin(value, (storedMs, value)) FROM kept GROUP BY name`);
  const values = new Map(rows);
  const keyOf = (name: string) => Uint8Array.from(values.get(name)?.match(/../g) ?? [], (hex) => Number.parseInt(hex, 16));
  return { cursorKey: keyOf(CURSOR_KEY), suppressionKey: keyOf(SUPPRESSION_KEY) };
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
