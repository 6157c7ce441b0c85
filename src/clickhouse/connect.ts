import { DaybookError } from "../base/errors.js";
import type { Settled } from "./options.js";
import { Connection } from "./connection/connection.js";

/** The client says nothing on the console: its lines would hold what questions are about. */
const SILENT = 127;

/** A connection by the client that was given, or by one of `@clickhouse/client`. @throws not_supported (it is not installed) */
export async function connect({ url, username, password, database, client, timeoutMs }: Settled): Promise<Connection> {
  if (client !== null) return new Connection(client, client);
  const { createClient } = await import("@clickhouse/client").catch((error: unknown) => {
    throw new DaybookError("not_supported", "the package @clickhouse/client is not installed: npm install @clickhouse/client", {}, { cause: error });
  });
  // A statement ends on the server when it does here, whether or not the server hears that nobody waits.
  const clickhouse_settings = { max_execution_time: Math.ceil(timeoutMs / 1_000) };
  const shared = { url: url ?? "", username, password, request_timeout: timeoutMs, clickhouse_settings, log: { level: SILENT } } as const;
  const made = createClient({ ...shared, database });
  // The database is made by somebody who does not stand in it.
  return new Connection(made, createClient(shared));
}
