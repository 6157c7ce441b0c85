import { readArguments, required, type Command } from "../command.js";
import { dataDirectory } from "../data-directory.js";
import { openForReading, organizationOf } from "../organizations.js";
import { bytes, count, plural } from "../print/format.js";
import { table } from "../print/table.js";

const help = `Usage: daybook stats --data DIR [--organization NAME]

Shows what is stored, per organization; also while "serve" runs.

  --data DIR            data directory or store
  --organization NAME   only this one
`;

const HEADER = ["organization", "events", "days", "first day", "last day", "segments", "unsealed", "projects", "on disk", "B/event", "in memory"];

async function run(args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, { data: { type: "string" }, organization: { type: "string" } }, false);
  const path = required(values.data, "data");
  const named = values.organization === undefined ? null : organizationOf(values.organization);
  const data = await dataDirectory(path);
  const names = named === null ? data.names : [named];
  if (names.length === 0) throw new Error(`${path}: there is no organization here`);
  const rows: string[][] = [];
  const quarantined: string[] = [];
  for (const name of names) {
    const daybook = await openForReading(data, name);
    try {
      const stats = await daybook.stats();
      rows.push([
        name,
        count(stats.eventCount),
        count(stats.dayCount),
        stats.firstDay?.slice(0, 10) ?? "-",
        stats.lastDay?.slice(0, 10) ?? "-",
        count(stats.segmentCount),
        count(stats.headRowCount),
        count(stats.projects.length),
        bytes(stats.storedByteLength),
        stats.eventCount === 0 ? "-" : (stats.storedByteLength / stats.eventCount).toFixed(1),
        bytes(stats.memoryByteLength),
      ]);
      const lostCount = stats.quarantine.flatMap(({ lost }) => lost).reduce((sum, { eventCount }) => sum + eventCount, 0);
      if (stats.quarantine.length > 0) quarantined.push(`${name}: ${plural(stats.quarantine.length, "damaged file")} in quarantine, ${plural(lostCount, "event")} lost with them`);
    } finally {
      await daybook.close();
    }
  }
  process.stdout.write(table([HEADER, ...rows], "<>><<>>>>>>"));
  for (const line of quarantined) process.stdout.write(`${line}\n`);
}

export const command: Command = { help, run };
