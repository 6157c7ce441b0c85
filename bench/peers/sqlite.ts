import type { TrafficEvent } from "../traffic.js";

/** As much of better-sqlite3 as is used here. It is no dependency: `npm install --no-save better-sqlite3` brings it. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: unknown[]): void };
  close(): void;
}

const packageName = "better-sqlite3";

/** The constructor of SQLite's databases; null where it is not installed. */
async function sqlite(): Promise<(new (path: string) => Database) | null> {
  try {
    return ((await import(packageName)) as { default: new (path: string) => Database }).default;
  } catch {
    return null;
  }
}

const members = [
  "id", "createdAt", "name", "userId", "project", "locationCountry", "locationRegion", "locationCity", "device", "os", "browser", "screen",
  "language", "referrer", "url", "hostname", "value", "currency", "externalId", "companyId",
] as const satisfies readonly (keyof TrafficEvent)[];

/**
 * Events a second into one table, a transaction of WAL and synchronous=FULL for each batch: durable as Daybook's are. In
 * SQLite's favour the table has no index, so that it neither finds anything nor tells duplicates. Null where better-sqlite3 is
 * not installed.
 */
export async function sqliteIngestEventsPerSecond(path: string, batches: Iterable<readonly TrafficEvent[]>): Promise<number | null> {
  const Database = await sqlite();
  if (Database === null) return null;
  const database = new Database(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec(`CREATE TABLE events (${members.join(", ")}, metadata)`);
  const insert = database.prepare(`INSERT INTO events VALUES (${members.map(() => "?").join(", ")}, ?)`);
  let [eventCount, ms] = [0, 0];
  for (const batch of batches) {
    const startedMs = performance.now();
    database.exec("BEGIN");
    for (const event of batch) insert.run(...members.map((member) => event[member] ?? null), JSON.stringify(event.metadata));
    database.exec("COMMIT");
    ms += performance.now() - startedMs;
    eventCount += batch.length;
  }
  database.close();
  return Math.round((eventCount / ms) * 1_000);
}
