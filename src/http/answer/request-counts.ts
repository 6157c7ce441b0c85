import type { Answered } from "./answered.js";

/** Answers of one route with one status, and how long they took together, in ms. */
export interface RequestCount {
  count: number;
  durationMs: number;
}

/** Counts answers by organization, route and status: as many as routes have statuses, whatever callers send. */
export class RequestCounts {
  readonly #byOrganization = new Map<string, Map<string, RequestCount>>();
  /** Texts that were sent in the place of ids, and are none. */
  readonly #noIds = new Map<string, number>();

  add({ organization, route, status, durationMs }: Answered): void {
    // Of who is not known nobody could ask.
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
