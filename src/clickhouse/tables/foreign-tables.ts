import { parameterError, type DaybookError } from "../../core/base/errors.js";
import type { Connection } from "../connection/connection.js";
import { sql, text, texts } from "../sql/sql.js";
import { systemTable } from "./change.js";
import { columnTypes, TABLES, VIEW_ENGINE, VIEWS } from "./layout.js";

/**
 * Refuses tables of other programs with our names: they would be written to, and their rows deleted; one in place of a view would fill nothing.
 * @param isOurs which of our tables are to be created; existing ones are empty, left by an interrupted migration
 * @throws invalid_parameter
 */
export async function refuseForeignTables(connection: Connection, place: ForeignTables, isOurs: (name: string) => boolean): Promise<void> {
  const expected = new Map(columnsOf(place, isOurs));
  const there = sql`database = ${text(place.database)} AND table IN ${texts([...expected.keys()])}`;
  const columns = sql`SELECT table, arraySort(groupUniqArray(name)) AS columns FROM ${systemTable(place, "columns")} WHERE ${there} GROUP BY table`;
  const rows = sql`SELECT table, max(total_rows > 0) AS hasRows, min(engine = ${text(VIEW_ENGINE)}) AS isView
    FROM ${systemTable(place, "tables")} WHERE ${there} GROUP BY table`;
  const found = await connection.systemRows<[table: string, columns: string[], hasRows: number, isView: number]>(
    sql`SELECT table, columns, ifNull(hasRows, 0), isView FROM (${columns}) AS columns INNER JOIN (${rows}) AS rows USING (table) ORDER BY table`);
  for (const [table, names, hasRows, isView] of found) {
    const own = expected.get(table) ?? null;
    if (own === null && isView !== 1) throw foreign(place, `${table} in place of a materialized view`);
    if (own !== null && own.join() !== names.join()) throw foreign(place, `${table} with the columns ${names.join(", ")}`);
    if (hasRows > 0 && !table.startsWith("kept")) throw foreign(place, `${table} with rows`);
  }
}

/** Tables with their sorted column names; null for a view. */
function columnsOf({ cluster }: ForeignTables, isOurs: (name: string) => boolean): [string, readonly string[] | null][] {
  const tables = TABLES.filter(({ name }) => isOurs(name)).flatMap((table): [string, readonly string[]][] => {
    const own = [...columnTypes(table).keys()].sort();
    return cluster === null ? [[table.name, own]] : [[table.name, own], [`${table.name}_local`, own]];
  });
  return [...tables, ...VIEWS.map(({ name }) => name).filter(isOurs).map((name): [string, null] => [name, null])];
}

function foreign({ database }: ForeignTables, found: string): DaybookError {
  return parameterError("invalid_parameter", "database", `expected a database that only Daybook uses, but ${database} has a table ${found}: use another database`);
}

interface ForeignTables {
  readonly database: string;
  readonly cluster: string | null;
}

/** Refuses a client that was made for another database than the named one. @throws invalid_parameter, manifest_missing (no such database) */
export async function refuseOtherDatabase(connection: Connection, database: string): Promise<void> {
  const [[current = ""] = []] = await connection.systemRows<[string]>(sql`SELECT currentDatabase()`);
  if (current === database) return;
  throw parameterError("invalid_parameter", "client", `expected a client for the database ${database}, got one for ${current}`);
}
