import { sql, text, texts, wholes } from "../sql/sql.js";
import { alter, systemTable, type Servers } from "../tables/change.js";

/** From one look to the next. */
const PAUSE_MS = 1_000;

/**
 * Waits until the files of rows that were changed or deleted are no more on any server; while a question reads them they stay. Servers keep such
 * files for some minutes: while this waits, a second.
 */
export async function untilGone(servers: Servers, tables: readonly string[]): Promise<void> {
  const { connection, names, database } = servers;
  const all = tables.map((table) => (names.isCluster ? `${table}_local` : table));
  const former = sql`FROM ${systemTable(servers, "parts")} WHERE database = ${text(database)} AND NOT active`;
  // Only those of now: others come as long as anything is written.
  const since = await connection.rows<[string, number]>(
    sql`SELECT table, toUInt32(max(remove_time)) ${former} AND table IN ${texts(all)} GROUP BY table`);
  if (since.length === 0) return;
  const waiting = tables.filter((_, at) => since.some(([table]) => table === all[at]));
  const latest = sql`arrayElement(${wholes(since.map(([, time]) => time))}, indexOf(${texts(since.map(([table]) => table))}, table))`;
  for (const table of waiting) await alter(servers, table, sql`MODIFY SETTING old_parts_lifetime = 1`);
  try {
    for (;;) {
      // Servers with nothing else to do look for such files every some minutes; whoever drops a partition, even one that there is not, looks at once.
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
