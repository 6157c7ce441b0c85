import type { DaybookStats } from "../../engine/upkeep/stats.js";
import { readArguments, required } from "../command.js";
import { DEFAULT_ORGANIZATION, dataDirectory } from "../../platform/node/data-directory.js";
import { openForReading, organizationOf } from "../organizations.js";
import { CLICKHOUSE_HELP, eventLocationOf, isOnClickHouse, LOCATION_OPTIONS } from "../on-clickhouse.js";
import { bytes, count, plural, table } from "../print/format.js";

export const help = `Usage: daybook stats --data DIR [--organization NAME]
       daybook stats --clickhouse URL --database NAME [--cluster NAME] [--user NAME]

Shows what is stored, per organization; also while "serve" runs. On ClickHouse, segments are the parts of the events
table, and bytes are those of all tables on all servers.

  --data DIR            data directory or store
${CLICKHOUSE_HELP}  --organization NAME   only this one
`;

const HEADER = ["organization", "events", "days", "first day", "last day", "segments", "unsealed", "projects", "on disk", "B/event", "in memory"];

export async function run(args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, LOCATION_OPTIONS, false);
  if (isOnClickHouse(values, { data: values.data, organization: values.organization })) {
    const stats = await statsOf(await eventLocationOf(values).read());
    return show([rowOf(DEFAULT_ORGANIZATION, stats, false)]);
  }
  const path = required(values.data, "data");
  const onlyName = values.organization === undefined ? null : organizationOf(values.organization);
  const data = await dataDirectory(path);
  const names = onlyName === null ? data.names : [onlyName];
  if (names.length === 0) throw new Error(`${path}: there is no organization here`);
  const rows: string[][] = [];
  const quarantined: string[] = [];
  for (const name of names) {
    const stats = await statsOf(await openForReading(data, name));
    rows.push(rowOf(name, stats, true));
    const lostCount = stats.quarantine.flatMap(({ lost }) => lost).reduce((sum, { eventCount }) => sum + eventCount, 0);
    const files = plural(stats.quarantine.length, "damaged file");
    if (stats.quarantine.length > 0) quarantined.push(`${name}: ${files} in quarantine, ${plural(lostCount, "event")} lost`);
  }
  show(rows);
  for (const line of quarantined) process.stdout.write(`${line}\n`);
}

async function statsOf(daybook: { stats(): Promise<DaybookStats>; close(): Promise<void> }): Promise<DaybookStats> {
  return await daybook.stats().finally(() => daybook.close());
}

/** @param isEmbedded false for ClickHouse, which has no unsealed events and caches nothing in memory */
function rowOf(name: string, stats: DaybookStats, isEmbedded: boolean): string[] {
  return [
    name,
    count(stats.eventCount),
    count(stats.dayCount),
    stats.firstDay?.slice(0, 10) ?? "-",
    stats.lastDay?.slice(0, 10) ?? "-",
    count(stats.segmentCount),
    isEmbedded ? count(stats.headRowCount) : "-",
    count(stats.projects.length),
    bytes(stats.storedByteLength),
    stats.eventCount === 0 ? "-" : (stats.storedByteLength / stats.eventCount).toFixed(1),
    isEmbedded ? bytes(stats.memoryByteLength) : "-",
  ];
}

function show(rows: readonly string[][]): void {
  process.stdout.write(table([HEADER, ...rows], "<>><<>>>>>>"));
}
