import { sql, text, texts, wholes } from "../sql/sql.js";
import { alter, systemTable, type Servers } from "../tables/change.js";

/** Interval between checks. */
const PAUSE_MS = 1_000;

/**
 * Waits until no server has files of changed or deleted rows; a query that reads them delays this.
 * Servers normally keep such files for some minutes; during this wait, for a second.
 */
export async function untilGone(servers: Servers, tables: readonly string[]): Promise<void> {
  const { connection, names, database } = servers;
  const all = tables.map((table) => (names.isCluster ? `${table}_local` : table));
  const former = sql`FROM ${systemTable(servers, "parts")} WHERE database = ${text(database)} AND NOT active`;
  // Only the current ones: others appear as long as rows are written.
  const since = await connection.rows<[string, number]>(
    sql`SELECT table, toUInt32(max(remove_time)) ${former} AND table IN ${texts(all)} GROUP BY table`);
  if (since.length === 0) return;
  const waiting = tables.filter((_, at) => since.some(([table]) => table === all[at]));
  const latest = sql`arrayElement(${wholes(since.map(([, time]) => time))}, indexOf(${texts(since.map(([table]) => table))}, table))`;
  for (const table of waiting) await alter(servers, table, sql`MODIFY SETTING old_parts_lifetime = 1`);
  try {
    for (;;) {
      // Idle servers clean up such files only every few minutes; dropping a partition, even a missing one, makes them do it at once.
      for (const table of waiting) await alter(servers, table, sql`DROP PARTITION ID 'none'`);
      const [[left] = [0]] = await connection.rows<[number]>(
        sql`SELECT count() ${former} AND table IN ${texts(since.map(([table]) => table))} AND toUInt32(remove_time) <= ${latest}`);
      if (left === 0) return;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  } finally {
    for (const table of waiting) await alter(servers, table, sql`RESET SETTING old_parts_lifetime`);
  }
}
