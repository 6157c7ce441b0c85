import { DaybookError } from "../core/base/errors.js";
import type { CheckedOptions } from "./options.js";
import { Connection } from "./connection/connection.js";

/** Log level that silences the client: its lines would reveal queries. */
const SILENT = 127;

/** Request timeout of unbounded statements. Meanwhile the system's keep-alive packets detect a dead peer. */
const ENDLESS_MS = 2 ** 31 - 1;
/** Interval between probes of the servers while they change rows. */
const LOOK_MS = 30_000;

/** Connects with the given client, or with one of `@clickhouse/client`. @throws not_supported (the package is not installed) */
export async function connect({ url, username, password, database, cluster, client, timeoutMs }: CheckedOptions): Promise<Connection> {
  const place = { cluster, replicaCount: 1, lookMs: Math.min(timeoutMs, LOOK_MS) };
  if (client !== null) return new Connection({ usual: client, patient: client, looking: client, definer: client }, place);
  const { createClient } = await import("@clickhouse/client").catch((error: unknown) => {
    throw new DaybookError("not_supported", "the package @clickhouse/client is not installed: npm install @clickhouse/client", {}, { cause: error });
  });
  // The server ends a statement at the client's timeout, even if it misses the disconnect.
  const clickhouse_settings = { max_execution_time: Math.ceil(timeoutMs / 1_000) };
  const shared = { url: url ?? "", username, password, request_timeout: timeoutMs, clickhouse_settings, log: { level: SILENT } } as const;
  const usual = createClient({ ...shared, database });
  const patient = createClient({ ...shared, database, request_timeout: ENDLESS_MS });
  const looking = createClient({ ...shared, database });
  // Creating the database needs a client that does not select it.
  return new Connection({ usual, patient, looking, definer: createClient(shared) }, place);
}
