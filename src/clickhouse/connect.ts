import { DaybookError } from "../base/errors.js";
import type { CheckedOptions } from "./options.js";
import { Connection } from "./connection/connection.js";

/** The client says nothing on the console: its lines would hold what questions are about. */
const SILENT = 127;

/** For what takes as long as it takes. A connection of which the other end is gone is noticed by what the system sends on it meanwhile. */
const ENDLESS_MS = 2 ** 31 - 1;
/** From one look to the next at whether the servers are there, while they change rows. */
const LOOK_MS = 30_000;

/** A connection by the client that was given, or by one of `@clickhouse/client`. @throws not_supported (it is not installed) */
export async function connect({ url, username, password, database, cluster, client, timeoutMs }: CheckedOptions): Promise<Connection> {
  const place = { cluster, replicaCount: 1, lookMs: Math.min(timeoutMs, LOOK_MS) };
  if (client !== null) return new Connection({ usual: client, patient: client, looking: client, definer: client }, place);
  const { createClient } = await import("@clickhouse/client").catch((error: unknown) => {
    throw new DaybookError("not_supported", "the package @clickhouse/client is not installed: npm install @clickhouse/client", {}, { cause: error });
  });
  // A statement ends on the server when it does here, whether or not the server hears that nobody waits.
  const clickhouse_settings = { max_execution_time: Math.ceil(timeoutMs / 1_000) };
  const shared = { url: url ?? "", username, password, request_timeout: timeoutMs, clickhouse_settings, log: { level: SILENT } } as const;
  const usual = createClient({ ...shared, database });
  const patient = createClient({ ...shared, database, request_timeout: ENDLESS_MS });
  const looking = createClient({ ...shared, database });
  // The database is made by somebody who does not stand in it.
  return new Connection({ usual, patient, looking, definer: createClient(shared) }, place);
}
