import type { Findings } from "../../store/files/findings.js";
import { sql, text } from "../sql/sql.js";
import { systemTable, type Servers } from "../tables/change.js";
import { TABLES, VIEWS } from "../tables/layout.js";

/** Entries of a table's columns that are none. */
const NO_COLUMN = /^(?:INDEX|PROJECTION) /;

/** Each server has each table, with the columns of this version, and each view. */
export async function verifyTables(servers: Servers, findings: Findings): Promise<void> {
  const { connection, database, names } = servers;
  const [[serverCount] = [0]] = await connection.systemRows<[number]>(sql`SELECT count() FROM ${systemTable(servers, "one")}`);
  const rows = await connection.systemRows<[string, string, number]>(sql`SELECT table, name, count() FROM ${systemTable(servers, "columns")}
    WHERE database = ${text(database)} GROUP BY table, name`);
  const there = new Map(rows.map(([table, column, count]) => [`${table} ${column}`, count]));
  const serversWith = (table: string, column?: string) =>
    Math.max(0, ...rows.filter(([of, name]) => of === table && (column === undefined || name === column)).map(([, , count]) => count));
  const expect = (name: string, kind: string, columns: readonly string[]) => {
    const tableCount = serversWith(name);
    const missingOn = (count: number) => `none on ${serverCount - count} of ${serverCount}`;
    if (tableCount < serverCount) return findings.add(name, `the ${kind} on each server`, missingOn(tableCount));
    for (const column of columns) {
      const count = there.get(`${name} ${column}`) ?? 0;
      if (count < serverCount) findings.add(name, `its column ${column} on each server`, missingOn(count));
    }
  };
  for (const { name, columns } of TABLES) {
    const own = columns.map(([column]) => column).filter((column) => !NO_COLUMN.test(column));
    for (const table of names.isCluster ? [name, `${name}_local`] : [name]) expect(table, "table", own);
  }
  for (const { name } of VIEWS) expect(name, "view", []);
}
