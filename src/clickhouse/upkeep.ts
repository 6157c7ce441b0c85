import { compareCodePoints } from "../core/base/order.js";
import type { DaybookStats } from "../engine/upkeep/stats.js";
import type { TimeToLive } from "../engine/upkeep/time-to-live.js";
import { DEFAULT_PROJECT } from "../core/schema/project.js";
import { isoOfDay } from "../core/base/time.js";
import type { ClickHouseExecutor } from "./executor.js";
import type { Writes } from "./ingest/writes.js";
import { ClickHousePrivacyRequests } from "./privacy/privacy-requests.js";
import { RequestTable } from "./privacy/request-table.js";
import { PersonLookup } from "./query/person-lookup.js";
import { ClickHouseDeletions } from "./removal/deletions.js";
import type { RemovalContext } from "./removal/removal.js";
import { ClickHouseTimeToLive } from "./removal/time-to-live.js";
import { sql, text } from "./sql/sql.js";
import { systemTable, type Servers } from "./tables/change.js";

/** What deletes events and people, and reports what is stored. */
export interface Upkeep {
  /** Names of all projects, by code point. */
  readonly projects: () => Promise<readonly string[]>;
  readonly privacyRequests: ClickHousePrivacyRequests;
  readonly deletions: ClickHouseDeletions;
  readonly timeToLive: TimeToLive;
  readonly stats: () => Promise<DaybookStats>;
}

export function upkeepOf(context: RemovalContext, suppressionKey: Uint8Array, writes: Writes, executor: ClickHouseExecutor): Upkeep {
  const projects = async () => [...new Set([DEFAULT_PROJECT, ...(await writes.projects())])].sort(compareCodePoints);
  const subjects = async (signal?: Pick<AbortSignal, "aborted">) => new PersonLookup(context.connection, await executor.asking(signal), signal);
  // Removals read all rows several times.
  const patient = { ...context, connection: context.connection.patient() };
  const privacyRequests = new ClickHousePrivacyRequests({ ...patient, suppressionKey, requests: new RequestTable(context), subjects });
  const deletions = new ClickHouseDeletions({ ...patient, projects });
  const finishLeft = () => privacyRequests.finishLeft();
  const rules = new ClickHouseTimeToLive(new ClickHouseDeletions({ ...context, projects }), finishLeft);
  const sweeps = new ClickHouseTimeToLive(deletions, finishLeft);
  const timeToLive: TimeToLive = {
    set: (project, rule) => rules.set(project, rule),
    off: (project) => rules.off(project),
    list: () => rules.list(),
    preview: (rule) => rules.preview(rule),
    sweep: () => sweeps.sweep(),
  };
  return { projects, privacyRequests, deletions, timeToLive, stats: async () => await statsNow(context, await projects()) };
}

/** What is stored. Segments are parts of the table of events; bytes are those of all tables on all servers; nothing is cached in memory. */
async function statsNow(servers: Servers, projects: readonly string[]): Promise<DaybookStats> {
  const { connection, names, database } = servers;
  const events = sql`SELECT count(), uniqExact(day), min(day), max(day) FROM ${names.all("events")}`;
  const [[eventCount, dayCount, firstDay, lastDay] = [0, 0, 0, 0]] = await connection.rows<[number, number, number, number]>(events);
  const isOfEvents = sql`table = ${text(names.isCluster ? "events_local" : "events")}`;
  const parts = sql`SELECT countIf(${isOfEvents}), sum(bytes_on_disk) FROM ${systemTable(servers, "parts")}
    WHERE database = ${text(database)} AND active`;
  const [[segmentCount, storedByteLength] = [0, 0]] = await connection.rows<[number, number]>(parts);
  const dayText = (day: number) => (eventCount === 0 ? null : isoOfDay(day).slice(0, 10));
  return {
    health: "ok",
    sealError: null,
    eventCount,
    dayCount,
    segmentCount,
    headRowCount: 0,
    firstDay: dayText(firstDay),
    lastDay: dayText(lastDay),
    projects,
    storedByteLength,
    memoryByteLength: 0,
    distinctValues: null,
    quarantine: [],
    scrub: null,
  };
}
