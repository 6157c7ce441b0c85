import type { Findings } from "../../store/files/findings.js";
import { sql, text } from "../sql/sql.js";
import { systemTable, type Servers } from "../tables/change.js";
import { columnTypes, isSameType, TABLES, VIEW_ENGINE, VIEWS } from "../tables/layout.js";

/** Each server has each table, with the columns of this version and their types, and each view. */
export async function verifyTables(servers: Servers, findings: Findings): Promise<void> {
  const { connection, database, names } = servers;
  const [[serverCount] = [0]] = await connection.systemRows<[number]>(sql`SELECT count() FROM ${systemTable(servers, "one")}`);
  const engines = await connection.systemRows<Counted>(sql`SELECT name, engine, count() FROM ${systemTable(servers, "tables")}
    WHERE database = ${text(database)} GROUP BY name, engine ORDER BY name, engine`);
  const types = await connection.systemRows<Counted>(sql`SELECT concat(table, ' ', name), type, count() FROM ${systemTable(servers, "columns")}
    WHERE database = ${text(database)} GROUP BY table, name, type ORDER BY table, name, type`);
  /** @returns whether there is something of that name on each server; `isRight` is asked of each engine or type */
  const expect = (table: string, what: string, found: readonly Counted[], isRight: (kind: string) => boolean): boolean => {
    const thereCount = found.reduce((sum, [, , count]) => sum + count, 0);
    if (thereCount < serverCount) findings.add(table, `${what} on each server`, `none on ${serverCount - thereCount} of ${serverCount}`);
    for (const [, kind, count] of found)
      if (!isRight(kind)) findings.add(table, `${what} on each server`, `${kind} on ${count} of ${serverCount}`);
    return thereCount === serverCount;
  };
  const of = (rows: readonly Counted[], name: string) => rows.filter(([each]) => each === name);
  for (const table of TABLES) {
    for (const name of names.isCluster ? [table.name, `${table.name}_local`] : [table.name]) {
      if (!expect(name, "the table", of(engines, name), () => true)) continue;
      for (const [column, type] of columnTypes(table))
        expect(name, `its column ${column} of the type ${type}`, of(types, `${name} ${column}`), (found) => isSameType(found, type));
    }
  }
  for (const { name } of VIEWS) expect(name, "the view", of(engines, name), (engine) => engine === VIEW_ENGINE);
}

type Counted = readonly [name: string, kind: string, serverCount: number];
