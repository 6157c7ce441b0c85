import type { ErrorCode } from "../../core/base/errors.js";
import type { Withheld } from "../../engine/ingest/allowance.js";

/** One answered request; only the request id may be text from the caller. */
export interface Answered {
  readonly requestId: string;
  readonly method: string;
  /** Pattern of the route, such as `/v1/companies/{company_id}/top-users`; null: no route. */
  readonly route: string | null;
  readonly status: number;
  readonly code: ErrorCode | null;
  /** Null if no valid token was found. */
  readonly organization: string | null;
  readonly durationMs: number;
}

/** Facts about a request, filled in while it is processed. */
export interface Trace {
  route: string | null;
  organization: string | null;
  code: ErrorCode | null;
  /** Headers to add to the answer, errors included. */
  headers: Readonly<Record<string, string>>;
}

/** Number of answers of one route with one status, and their total duration in ms. */
export interface RequestCount {
  count: number;
  durationMs: number;
}

/** Counts answers by organization, route and status. The keys are bounded: callers cannot add others. */
export class RequestCounts {
  readonly #byOrganization = new Map<string, Map<string, RequestCount>>();
  readonly #noIds = new Map<string, number>();

  add({ organization, route, status, durationMs }: Answered): void {
    // Without an organization, no token could read the count.
    if (organization === null || route === null) return;
    let counts = this.#byOrganization.get(organization);
    if (counts === undefined) this.#byOrganization.set(organization, (counts = new Map<string, RequestCount>()));
    const labels = `{route="${route}",status="${status}"}`;
    let total = counts.get(labels);
    if (total === undefined) counts.set(labels, (total = { count: 0, durationMs: 0 }));
    total.count += 1;
    total.durationMs += durationMs;
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

export const COLLECT_OUTCOMES = ["stored", "duplicate", "rejected", "bot", "prefetch", "opted_out", "refused"] as const;
export type CollectOutcome = (typeof COLLECT_OUTCOMES)[number];

class Counts<Name extends string> {
  readonly #byOrganization = new Map<string, Map<Name, number>>();

  add(organization: string, name: Name, count: number): void {
    if (count === 0) return;
    const counts = this.of(organization);
    counts.set(name, (counts.get(name) ?? 0) + count);
  }

  of(organization: string): Map<Name, number> {
    const counts = this.#byOrganization.get(organization) ?? new Map<Name, number>();
    this.#byOrganization.set(organization, counts);
    return counts;
  }
}

export class CollectCounts {
  readonly events = new Counts<CollectOutcome>();
  /** Parts of events that were withheld, because their public key had used up its limit of new values. */
  readonly withheld = new Counts<Withheld>();
}
