import type { ClickHouseOptions } from "../clickhouse/options.js";
import type { StoredDaybook } from "../clickhouse/stored-daybook.js";
import { required, UsageError } from "./command.js";

/** Options that locate events on ClickHouse. */
export const CLICKHOUSE_OPTIONS = {
  clickhouse: { type: "string" },
  database: { type: "string" },
  cluster: { type: "string" },
  user: { type: "string" },
} as const;

/** Their lines in `--help`. */
export const CLICKHOUSE_HELP = `  --clickhouse URL      instead of --data: the HTTP interface of ClickHouse, for events stored there
  --database NAME       the organization's database there, created by "daybook clickhouse migrate"
  --cluster NAME        the cluster whose shards store it
  --user NAME           default "default"; the password comes from the environment variable CLICKHOUSE_PASSWORD
`;

export interface ClickHouseValues {
  readonly clickhouse?: string | undefined;
  readonly database?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
}

/** Connection options from the command line and the environment. @throws UsageError */
export function placeOf(url: string | undefined, option: string, { database, cluster, user }: ClickHouseValues) {
  const password = process.env["CLICKHOUSE_PASSWORD"];
  return {
    url: required(url, option),
    database: required(database, "database"),
    ...(cluster === undefined ? {} : { cluster }),
    ...(user === undefined ? {} : { username: user }),
    ...(password === undefined ? {} : { password }),
  };
}

/**
 * Opens the database that `--clickhouse` names.
 * @param others values of options that name another location of events
 * @throws UsageError, and what openClickHouse throws
 */
export async function openOnClickHouse(
  values: ClickHouseValues, others: Readonly<Record<string, unknown>>, rest: Pick<ClickHouseOptions, "currency" | "timeoutMs" | "futureEvents"> = {},
): Promise<StoredDaybook> {
  refuseBeside(others);
  const { openWithExecutor } = await import("../clickhouse/open-clickhouse.js");
  const { daybook } = await openWithExecutor({ ...placeOf(values.clickhouse, "clickhouse", values), ...rest });
  return daybook;
}

/** @param others values of options that exclude `--clickhouse`. @throws UsageError naming one that is given */
export function refuseBeside(others: Readonly<Record<string, unknown>>): void {
  const other = Object.keys(others).find((name) => others[name] !== undefined);
  if (other !== undefined) throw new UsageError(`--clickhouse and --${other} cannot be combined`);
}

/** Whether a command runs on ClickHouse. @throws UsageError where `--database` is missing, or a ClickHouse option is given without `--clickhouse` */
export function isOnClickHouse(values: ClickHouseValues): boolean {
  if (values.clickhouse !== undefined) return required(values.database, "database") !== "";
  const stray = (["database", "cluster", "user"] as const).find((name) => values[name] !== undefined);
  if (stray !== undefined) throw new UsageError(`--${stray} requires --clickhouse`);
  return false;
}
