import { isoOfDay } from "../base/time.js";
import type { DaybookStats } from "../engine/upkeep/stats.js";
import { sql, text } from "./sql/sql.js";
import { systemTable, type Servers } from "./tables/change.js";

/** What is stored. Segments are parts of the table of events. Bytes are those of all tables on all servers; in memory nothing is kept. */
export async function statsNow(servers: Servers, projects: readonly string[]): Promise<DaybookStats> {
  const { connection, names, database } = servers;
  const events = sql`SELECT count(), uniqExact(day), min(day), max(day) FROM ${names.all("events")}`;
  const [[eventCount, dayCount, firstDay, lastDay] = [0, 0, 0, 0]] = await connection.rows<[number, number, number, number]>(events);
  const isOfEvents = sql`table = ${text(names.isCluster ? "events_local" : "events")}`;
  const parts = sql`SELECT countIf(${isOfEvents}), sum(bytes_on_disk) FROM ${systemTable(servers, "parts")}
    WHERE database = ${text(database)} AND active`;
  const [[segmentCount, storedByteLength] = [0, 0]] = await connection.rows<[number, number]>(parts);
  const dayText = (day: number) => (eventCount === 0 ? null : isoOfDay(day).slice(0, 10));
  return {
    health: "ok",
    sealError: null,
    eventCount,
    dayCount,
    segmentCount,
    headRowCount: 0,
    firstDay: dayText(firstDay),
    lastDay: dayText(lastDay),
    projects,
    storedByteLength,
    memoryByteLength: 0,
    distinctValues: null,
    quarantine: [],
    scrub: null,
  };
}
