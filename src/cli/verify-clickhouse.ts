import type { ClickHouseReport } from "../clickhouse/verify/report.js";
import { placeOf, refuseBeside, type ClickHouseValues } from "./on-clickhouse.js";
import { count, plural } from "./print/format.js";
import { say } from "./print/say.js";

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
