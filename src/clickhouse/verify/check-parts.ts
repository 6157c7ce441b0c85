import type { Findings } from "../../store/files/findings.js";
import { name, sql, text } from "../sql/sql.js";
import { systemTable, type Servers } from "../tables/change.js";
import { TABLES } from "../tables/layout.js";

/** What the server that answers read of its own disk. */
export interface CheckedParts {
  readonly host: string;
  readonly tableCount: number;
  readonly partCount: number;
}

/** Every file of every table against its checksum, by the server that answers: no statement asks another one for that. Cost: all its bytes. */
export async function checkParts(servers: Servers, findings: Findings): Promise<CheckedParts> {
  const { connection, names } = servers;
  const tables = TABLES.map((table) => (names.isCluster ? `${table.name}_local` : table.name));
  let partCount = 0;
  for (const table of tables) {
    const parts = await connection.checkRows<CheckedPart>(sql`CHECK TABLE ${name(table)}`);
    partCount += parts.length;
    for (const [part, isPassed, message] of parts)
      if (Number(isPassed) !== 1) findings.add(table, `files of the part ${part} that match their checksums`, oneLine(message));
  }
  const [[host] = [""]] = await connection.systemRows<[string]>(sql`SELECT hostName()`);
  return { host, tableCount: tables.length, partCount };
}

/** On all servers: a part that a server found broken and set aside, whose rows no answer has. */
export async function verifyDetached(servers: Servers, findings: Findings): Promise<void> {
  const rows = await servers.connection.systemRows<[string, string, number]>(
    sql`SELECT table, reason, count() FROM ${systemTable(servers, "detached_parts")}
      WHERE database = ${text(servers.database)} AND startsWith(ifNull(reason, ''), 'broken') GROUP BY table, reason ORDER BY table, reason`);
  for (const [table, reason, count] of rows) findings.add(table, "no part that a server set aside", `${count} as ${reason}`);
}

type CheckedPart = readonly [part: string, isPassed: number | boolean, message: string];

function oneLine(message: string): string {
  return message.replace(/\s*\(version [^()]*\)/g, "").replace(/\s+/g, " ");
}
