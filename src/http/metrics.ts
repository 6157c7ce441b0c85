import type { Daybook } from "../engine/daybook.js";
import type { Answered } from "./answered.js";

interface Count {
  count: number;
  durationMs: number;
}

/** Counts answers by organization, route and status: as many as routes have statuses, whatever callers send. */
export class RequestCounts {
  readonly #byOrganization = new Map<string, Map<string, Count>>();

  add({ organization, route, status, durationMs }: Answered): void {
    // Of who is not known nobody could ask.
    if (organization === null || route === null) return;
    let counts = this.#byOrganization.get(organization);
    if (counts === undefined) this.#byOrganization.set(organization, (counts = new Map<string, Count>()));
    const labels = `{route="${route}",status="${status}"}`;
    let known = counts.get(labels);
    if (known === undefined) counts.set(labels, (known = { count: 0, durationMs: 0 }));
    known.count += 1;
    known.durationMs += durationMs;
  }

  of(organization: string): ReadonlyMap<string, Count> {
    return this.#byOrganization.get(organization) ?? new Map<string, Count>();
  }
}

/** What of the process shows in the metrics of every organization. */
export type ProcessGauges = Readonly<Record<string, number>>;

/** The numbers of one organization, and of the process, as Prometheus reads them. */
export async function metricsText(daybook: Daybook, counts: ReadonlyMap<string, Count>, process: ProcessGauges): Promise<string> {
  const stats = await daybook.stats();
  const families = [
    gauge("daybook_up", "1 while the store takes events, else 0.", daybook.health === "ok" ? 1 : 0),
    gauge("daybook_events", "Events stored.", stats.eventCount),
    gauge("daybook_head_rows", "Events not yet sealed into segments.", stats.headRowCount),
    gauge("daybook_segments", "Sealed segments.", stats.segmentCount),
    gauge("daybook_days", "Days with events.", stats.dayCount),
    gauge("daybook_stored_bytes", "Bytes of all files.", stats.storedByteLength),
    gauge("daybook_memory_bytes", "Bytes in memory, by estimate.", stats.memoryByteLength),
    family("daybook_requests_total", "Answers by route and status.", "counter", [...counts].map(([labels, { count }]) => [labels, count])),
    family("daybook_request_seconds_total", "Time from request to answer.", "counter", [...counts].map(([labels, { durationMs }]) => [labels, durationMs / 1_000])),
    ...Object.entries(process).map(([name, value]) => gauge(name, "Of the process.", value)),
  ];
  return families.join("");
}

function gauge(name: string, help: string, value: number): string {
  return family(name, help, "gauge", [["", value]]);
}

function family(name: string, help: string, type: "gauge" | "counter", samples: readonly (readonly [labels: string, value: number])[]): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.map(([labels, value]) => `${name}${labels} ${value}\n`).join("")}`;
}
