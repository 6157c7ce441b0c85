import type { ClickHouseOptions } from "../clickhouse/options.js";
import type { StoredDaybook } from "../clickhouse/stored-daybook.js";
import { required, UsageError } from "./command.js";
import type { ClickHouseReport } from "../clickhouse/verify/report.js";
import { count, plural, say } from "./print/format.js";
import type { ClickHouseDaybook } from "../clickhouse/clickhouse-daybook.js";
import { dataDirectory, openForReading, openOrganization, organizationOf } from "./organizations.js";

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

/** In ms: the check of a table is one statement that reads all rows the server has of it. */
const TIMEOUT_MS = 86_400_000;

/** Prints the findings on a database and a summary. @throws UsageError; Error where there is a finding */
export async function verifyOnClickHouse(values: ClickHouseValues, others: Readonly<Record<string, unknown>>): Promise<void> {
  refuseBeside(others);
  const { verifyClickHouse } = await import("../clickhouse/verify-clickhouse.js");
  const place = placeOf(values.clickhouse, "clickhouse", values);
  const report = await verifyClickHouse({ ...place, timeoutMs: TIMEOUT_MS });
  for (const { file, expected, found } of report.findings) say(`${file}: expected ${expected}, found ${found}`);
  const hiddenCount = report.findingCount - report.findings.length;
  if (hiddenCount > 0) say(`${count(hiddenCount)} more findings in these tables`);
  for (const line of notesOf(report)) say(line);
  say(`${place.database}: ${report.findingCount === 0 ? "intact" : "damaged"}: ${heldText(report)}`);
  if (report.findingCount > 0) throw new Error(`${place.database}: ${plural(report.findingCount, "finding")}`);
}

function notesOf({ parts, serverCount, strayLinkCount }: ClickHouseReport): string[] {
  const isStray = "without an event or a record (left by events that lost to another event with the same id)";
  const stray = strayLinkCount === 0 ? [] : [`links: ${plural(strayLinkCount, "link")} ${isStray}`];
  if (parts === null) return ['the rows were not checked, as tables are missing or different: "daybook clickhouse migrate" creates missing ones'];
  const others = `files: checked only on ${parts.host}; the cluster has ${count(serverCount)} servers: check each of them by its own URL`;
  return [...stray, ...(serverCount === 1 ? [] : [others])];
}

function heldText({ held, parts }: ClickHouseReport): string {
  if (parts === null) return "some tables are missing or different";
  const rows = held === null ? "" : `${plural(held.eventCount, "event")} of ${plural(held.dayCount, "day")}, ${plural(held.recordCount, "record")}; `;
  return `${rows}checked ${plural(parts.partCount, "part")} of ${plural(parts.tableCount, "table")} on ${parts.host}`;
}

/** The methods that show and delete events, wherever they are stored. */
export interface EventMaintenance extends Pick<ClickHouseDaybook, "countEventsPerDay" | "deleteEvents" | "deleteProject" | "timeToLive" | "close"> {
  projects(): readonly string[] | Promise<readonly string[]>;
}

/** The location of an organization's events. */
export interface EventLocation {
  /** Opens the events for reading, also while `serve` runs. @throws UsageError, Error where they are missing, and what opening throws */
  read(): Promise<EventMaintenance>;
  /** Opens the events for deletion; no other process may have a data directory open for writing. */
  write(): Promise<EventMaintenance>;
}

export const PLACE_OPTIONS = { ...CLICKHOUSE_OPTIONS, data: { type: "string" }, organization: { type: "string" } } as const;

interface PlaceValues extends ClickHouseValues {
  readonly data?: string | undefined;
  readonly organization?: string | undefined;
}

/** The location that a command line names. @throws UsageError */
export function eventLocationOf(values: PlaceValues): EventLocation {
  const { data, organization } = values;
  if (isOnClickHouse(values)) {
    const open = () => openOnClickHouse(values, { data, organization });
    return { read: open, write: open };
  }
  const path = required(data, "data");
  const name = organizationOf(organization);
  return {
    read: async () => await openForReading(await dataDirectory(path), name),
    write: async () => await openOrganization(await dataDirectory(path), name),
  };
}
