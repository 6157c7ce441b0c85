import type { Answered } from "./answered.js";

/** Number of answers of one route with one status, and their total duration in ms. */
export interface RequestCount {
  count: number;
  durationMs: number;
}

/** Counts answers by organization, route and status; requests cannot add other keys. */
export class RequestCounts {
  readonly #byOrganization = new Map<string, Map<string, RequestCount>>();
  /** Number of placeholder texts sent as ids, by organization. */
  readonly #noIds = new Map<string, number>();

  add({ organization, route, status, durationMs }: Answered): void {
    // Without an organization, no token could read the count.
    if (organization === null || route === null) return;
    let counts = this.#byOrganization.get(organization);
    if (counts === undefined) this.#byOrganization.set(organization, (counts = new Map<string, RequestCount>()));
    const labels = `{route="${route}",status="${status}"}`;
    let known = counts.get(labels);
    if (known === undefined) counts.set(labels, (known = { count: 0, durationMs: 0 }));
    known.count += 1;
    known.durationMs += durationMs;
  }

  addNoIds(organization: string, count: number): void {
    this.#noIds.set(organization, this.noIdsOf(organization) + count);
  }

  noIdsOf(organization: string): number {
    return this.#noIds.get(organization) ?? 0;
  }

  of(organization: string): ReadonlyMap<string, RequestCount> {
    return this.#byOrganization.get(organization) ?? new Map<string, RequestCount>();
  }
}
