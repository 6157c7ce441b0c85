import type { Withheld } from "../../engine/ingest/budgeted.js";

/** What became of events that pages sent. */
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

/** What is counted of what pages sent. */
export class CollectCounts {
  /** Events by what became of them. */
  readonly events = new Counts<CollectOutcome>();
  /** Parts of these that were not stored as they came: their public key had brought too much that was new. */
  readonly withheld = new Counts<Withheld>();
}
