import type { Plan } from "../../query/plan/plan.js";
import type { Store, VisibleStore } from "../../store/live/store.js";
import type { ReportContexts } from "./report-contexts.js";
import type { Slices } from "./slices.js";

/** What a query reads. */
export interface QueryTarget {
  readonly store: VisibleStore;
  readonly contexts: ReportContexts;
}

/** The current store, and what its queries share. */
export interface Present extends QueryTarget {
  readonly store: Store;
}

/**
 * Runs `ask` on the current store or, if the plan names a sequence, on the store as of that sequence.
 * @param ask must read nothing else
 * @throws invalid_parameter (the store has not reached the sequence), and what `ask` throws
 */
export async function asOfPlan<A>(plan: Plan, now: Present, slices: Slices, ask: (asked: QueryTarget) => Promise<A>): Promise<A> {
  const sequence = "asOf" in plan ? plan.asOf : null;
  if (sequence === null || sequence === "latest") return await ask(now);
  // Lazy: only insights can be run as of a sequence.
  const { runAsOf } = await import("./insights.js");
  for (;;) {
    const { tables } = now.contexts;
    const answer = await runAsOf(sequence, now, slices, ask);
    // An answer must not include a person who was erased meanwhile.
    if (now.contexts.tables === tables) return answer;
  }
}
