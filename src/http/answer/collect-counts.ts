/** What became of events that pages sent. */
export const COLLECT_OUTCOMES = ["stored", "duplicate", "rejected", "bot", "prefetch", "opted_out", "refused"] as const;
export type CollectOutcome = (typeof COLLECT_OUTCOMES)[number];

/** Counts events that pages sent, by organization and outcome. */
export class CollectCounts {
  readonly #byOrganization = new Map<string, Map<CollectOutcome, number>>();

  add(organization: string, outcome: CollectOutcome, count: number): void {
    if (count === 0) return;
    const counts = this.of(organization);
    counts.set(outcome, (counts.get(outcome) ?? 0) + count);
  }

  of(organization: string): Map<CollectOutcome, number> {
    const counts = this.#byOrganization.get(organization) ?? new Map<CollectOutcome, number>();
    this.#byOrganization.set(organization, counts);
    return counts;
  }
}
