import type { DaybookStats, DistinctValues } from "../../engine/upkeep/stats.js";
import type { RequestCount } from "../answer/request-counts.js";
import type { ProcessGauges, Services, OpenAnswer } from "../routing/route.js";
import { healthOf, type ServedDaybook } from "../access/rights.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { FULLNESS, type DaybookWithFullness } from "../../engine/ingest/allowed-options.js";

export interface CollectedCounts {
  readonly events: ReadonlyMap<string, number>;
  readonly withheld: ReadonlyMap<string, number>;
}

/** Metrics of one organization and of the process, in the Prometheus text format. */
export async function metricsText(
  daybook: ServedDaybook,
  counts: ReadonlyMap<string, RequestCount>,
  noIdCount: number,
  collected: CollectedCounts,
  process: ProcessGauges,
): Promise<string> {
  const health = await healthOf(daybook);
  // A scrape must report an unreachable store, not fail.
  const stats = health === "unreachable" ? undefined : await daybook.stats?.();
  const families = [
    gauge("daybook_up", "1 if the organization can be read and written, else 0.", health === "ok" ? 1 : 0),
    ...(stats === undefined ? [] : storeGauges(stats)),
    family("daybook_requests_total", "Answered requests, by route and status.", "counter", [...counts].map(([labels, { count }]) => [labels, count])),
    family(
      "daybook_request_seconds_total",
      "Total time to answer these requests, in seconds.",
      "counter",
      [...counts].map(([labels, { durationMs }]) => [labels, durationMs / 1_000]),
    ),
    family(
      "daybook_collected_events_total",
      "Events from pages, by outcome.",
      "counter",
      [...collected.events].map(([outcome, count]) => [`{outcome="${outcome}"}`, count]),
    ),
    family(
      "daybook_collected_withheld_total",
      "Parts of these events that were withheld because their public key had sent too many new values.",
      "counter",
      [...collected.withheld].map(([part, count]) => [`{part="${part}"}`, count]),
    ),
    family("daybook_no_ids_total", "Ignored placeholder ids, such as undefined, from client libraries and pages.", "counter", [["", noIdCount]]),
    ...Object.entries(process).map(([name, value]) => gauge(name, "Measured for the server process.", value)),
  ];
  return families.join("");
}

function storeGauges(stats: DaybookStats): string[] {
  return [
    gauge("daybook_events", "Events stored.", stats.eventCount),
    gauge("daybook_head_rows", "Events not yet sealed into segments.", stats.headRowCount),
    gauge("daybook_segments", "Sealed segments.", stats.segmentCount),
    gauge("daybook_days", "Days with events.", stats.dayCount),
    gauge("daybook_stored_bytes", "Bytes of all files.", stats.storedByteLength),
    gauge("daybook_memory_bytes", "Bytes in memory, estimated.", stats.memoryByteLength),
    ...(stats.distinctValues === null ? [] : valueGauges(stats.distinctValues)),
  ];
}

function valueGauges({ byteLength, byteLengthMax, metadataKeyCount }: DistinctValues): string[] {
  return [
    gauge("daybook_distinct_value_bytes", "Bytes of distinct values, estimated.", byteLength),
    gauge(
      "daybook_distinct_value_bytes_max",
      "Limit of these bytes; new values from public keys are stored up to three quarters of it.",
      byteLengthMax,
    ),
    gauge("daybook_metadata_keys", "Distinct metadata keys.", metadataKeyCount),
  ];
}

function gauge(name: string, help: string, value: number): string {
  return family(name, help, "gauge", [["", value]]);
}

function family(name: string, help: string, type: "gauge" | "counter", samples: readonly (readonly [labels: string, value: number])[]): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.map(([labels, value]) => `${name}${labels} ${value}\n`).join("")}`;
}

/** 200 while every open organization accepts queries and events, else 503 with the worst state. */
export async function health({ organizations }: Services): Promise<OpenAnswer> {
  const opened = organizations.opened();
  const states = await Promise.all(opened.map(healthOf));
  const status = (["closed", "unreachable", "read_only"] as const).find((state) => states.includes(state)) ?? "ok";
  // Queries and events still work, but an operator must see this.
  const isWaiting = opened.some(({ timeToLive }) => (timeToLive?.waiting ?? null) !== null);
  // Likewise: new values from public keys are not stored.
  const fullnessOf = (daybook: ServedDaybook & Partial<DaybookWithFullness>) => daybook[FULLNESS]?.() ?? 0;
  const isFilling = opened.some((daybook) => fullnessOf(daybook) > SERVER_LIMITS.collectedShare);
  const body = { status, ...(isWaiting ? { time_to_live: "waiting" } : {}), ...(isFilling ? { distinct_values: "over_reserve" } : {}) };
  return { status: status === "ok" ? 200 : 503, text: JSON.stringify(body) };
}
