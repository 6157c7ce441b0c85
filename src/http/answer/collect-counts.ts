import type { Withheld } from "../../engine/ingest/budgeted.js";

/** Outcomes of page events. */
export const COLLECT_OUTCOMES = ["stored", "duplicate", "rejected", "bot", "prefetch", "opted_out", "refused"] as const;
export type CollectOutcome = (typeof COLLECT_OUTCOMES)[number];

/** Counts by organization and name. */
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

/** Counters of page events. */
export class CollectCounts {
  /** Events by outcome. */
  readonly events = new Counts<CollectOutcome>();
  /** Parts of events that were withheld, because their public key had used up its limit of new values. */
  readonly withheld = new Counts<Withheld>();
}
