import type { Findings } from "../../store/files/findings.js";
import { errorOf } from "../connection/errors.js";
import { SETTINGS, settingsOfReplicas } from "../connection/settings.js";
import { name, sql, statementOf, text } from "../sql/sql.js";
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
    const parts = await partsOf(servers, table);
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

/** Servers do not take this statement for one that only reads, so it goes to the client without the setting of those. */
async function partsOf({ connection }: Servers, table: string): Promise<readonly CheckedPart[]> {
  const { query, params } = statementOf(sql`CHECK TABLE ${name(table)}`);
  const { replicaCount } = connection;
  const replicas = settingsOfReplicas(replicaCount, Math.floor(replicaCount / 2) + 1);
  try {
    const settings = { ...SETTINGS, ...replicas, check_query_single_value_result: 0 };
    const result = await connection.client.query({ query, format: "JSONCompactEachRow", query_params: params, clickhouse_settings: settings });
    return (await result.json()) as CheckedPart[];
  } catch (error) {
    throw errorOf(error, undefined);
  }
}

function oneLine(message: string): string {
  return message.replace(/\s*\(version [^()]*\)/g, "").replace(/\s+/g, " ");
}
