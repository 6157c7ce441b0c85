import type { ClickHouseOptions } from "../clickhouse/options.js";
import type { StoredDaybook } from "../clickhouse/stored-daybook.js";
import { required, texts, UsageError } from "./command.js";
import type { ClickHouseReport } from "../clickhouse/verify/report.js";
import { count, plural, printLine } from "./print/format.js";
import type { Daybook } from "../engine/daybook.js";
import { dataDirectory } from "../platform/node/data-directory.js";
import { openForReading, openOrganization, organizationOf, type OpenOptions, type ReadingOptions } from "./organizations.js";

export const CLICKHOUSE_OPTIONS = texts("clickhouse", "database", "cluster", "user");

export const CLICKHOUSE_HELP = `  --clickhouse URL      instead of --data: the HTTP interface of ClickHouse, for events stored there
  --database NAME       the organization's database there, created by "daybook clickhouse migrate"
  --cluster NAME        the cluster whose shards store it
  --user NAME           default "default"; the password comes from the environment variable CLICKHOUSE_PASSWORD
`;

type TextValues<Names extends string> = { readonly [Name in Names]?: string | undefined };
type ClickHouseValues = TextValues<keyof typeof CLICKHOUSE_OPTIONS>;

export function connectionOptionsOf(url: string | undefined, option: string, { database, cluster, user }: ClickHouseValues) {
  const password = process.env["CLICKHOUSE_PASSWORD"];
  return {
    url: required(url, option),
    database: required(database, "database"),
    ...(cluster === undefined ? {} : { cluster }),
    ...(user === undefined ? {} : { username: user }),
    ...(password === undefined ? {} : { password }),
  };
}

export async function openOnClickHouse(
  values: ClickHouseValues, rest: Pick<ClickHouseOptions, "currency" | "timeoutMs" | "futureEvents"> = {},
): Promise<StoredDaybook> {
  const { openWithExecutor } = await import("../clickhouse/open-clickhouse.js");
  const { daybook } = await openWithExecutor({ ...connectionOptionsOf(values.clickhouse, "clickhouse", values), ...rest });
  return daybook;
}

/**
 * @param others values of options that name another location
 * @throws UsageError if `--database` is missing, another location is named too, or a ClickHouse option is given without `--clickhouse`
 */
export function isOnClickHouse(values: ClickHouseValues, others: Readonly<Record<string, unknown>>): boolean {
  if (values.clickhouse !== undefined) {
    const other = Object.keys(others).find((name) => others[name] !== undefined);
    if (other !== undefined) throw new UsageError(`--clickhouse and --${other} cannot be combined`);
    return required(values.database, "database") !== "";
  }
  const stray = (["database", "cluster", "user"] as const).find((name) => values[name] !== undefined);
  if (stray !== undefined) throw new UsageError(`--${stray} requires --clickhouse`);
  return false;
}

/** A day: each table is checked by one statement, which reads all of its rows on the server. */
const CHECK_TIMEOUT_MS = 86_400_000;

export async function verifyOnClickHouse(values: ClickHouseValues): Promise<void> {
  const { verifyClickHouse } = await import("../clickhouse/open-clickhouse.js");
  const connection = connectionOptionsOf(values.clickhouse, "clickhouse", values);
  const report = await verifyClickHouse({ ...connection, timeoutMs: CHECK_TIMEOUT_MS });
  for (const { file, expected, found } of report.findings) printLine(`${file}: expected ${expected}, found ${found}`);
  const hiddenCount = report.findingCount - report.findings.length;
  if (hiddenCount > 0) printLine(`${count(hiddenCount)} more findings in these tables`);
  for (const line of notesOf(report)) printLine(line);
  printLine(`${connection.database}: ${report.findingCount === 0 ? "intact" : "damaged"}: ${contentsText(report)}`);
  if (report.findingCount > 0) throw new Error(`${connection.database}: ${plural(report.findingCount, "finding")}`);
}

function notesOf({ parts, serverCount, strayLinkCount }: ClickHouseReport): string[] {
  const origin = "without an event or a record (left by events that lost to another event with the same id)";
  const stray = strayLinkCount === 0 ? [] : [`links: ${plural(strayLinkCount, "link")} ${origin}`];
  if (parts === null) return ['the rows were not checked, as tables are missing or different: "daybook clickhouse migrate" creates missing ones'];
  const coverage = `files: checked only on ${parts.host}; the cluster has ${count(serverCount)} servers: check each of them by its own URL`;
  return [...stray, ...(serverCount === 1 ? [] : [coverage])];
}

function contentsText({ held: contents, parts }: ClickHouseReport): string {
  if (parts === null) return "some tables are missing or different";
  const rows = contents === null ? "" : `${plural(contents.eventCount, "event")} of ${plural(contents.dayCount, "day")}, ${plural(contents.recordCount, "record")}; `;
  return `${rows}checked ${plural(parts.partCount, "part")} of ${plural(parts.tableCount, "table")} on ${parts.host}`;
}

export interface EventLocation {
  /** Opens the events for reading, also while `serve` runs. @throws UsageError, Error if they are missing, and what opening throws */
  read(options?: ReadingOptions): Promise<Daybook | StoredDaybook>;
  /** Opens the events for writing; no other process may have a data directory open for writing. */
  write(options?: OpenOptions): Promise<Daybook | StoredDaybook>;
}

export const LOCATION_OPTIONS = { ...CLICKHOUSE_OPTIONS, ...texts("data", "organization") };

export type LocationValues = TextValues<keyof typeof LOCATION_OPTIONS>;

export function eventLocationOf(values: LocationValues): EventLocation {
  const { data, organization } = values;
  if (isOnClickHouse(values, { data, organization })) {
    const open = ({ currency, futureEvents }: OpenOptions = {}) =>
      openOnClickHouse(values, { ...(currency === undefined ? {} : { currency }), ...(futureEvents === undefined ? {} : { futureEvents }) });
    return { read: open, write: open };
  }
  const path = required(data, "data");
  const name = organizationOf(organization);
  return {
    read: async (options) => await openForReading(await dataDirectory(path), name, options),
    write: async (options) => await openOrganization(await dataDirectory(path), name, options),
  };
}
