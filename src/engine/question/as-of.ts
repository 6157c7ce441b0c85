import type { Plan } from "../../plan/plan.js";
import type { Store } from "../../store/live/store.js";
import type { VisibleStore } from "../../store/live/visible-store.js";
import type { ReportContexts } from "./report-contexts.js";
import type { Slices } from "./slices.js";

/** Where a question looks. */
export interface QueryTarget {
  readonly store: VisibleStore;
  readonly contexts: ReportContexts;
}

/** The store of now, and what its questions share. */
export interface Present extends QueryTarget {
  readonly store: Store;
}

/**
 * Asks the store of now or, where the plan names a sequence, the store as it was then.
 * @param ask looks at nothing else @throws invalid_parameter (the store has not come to the sequence), and what `ask` throws
 */
export async function asOfPlan<A>(plan: Plan, now: Present, slices: Slices, ask: (asked: QueryTarget) => Promise<A>): Promise<A> {
  const sequence = "asOf" in plan ? plan.asOf : null;
  if (sequence === null || sequence === "latest") return await ask(now);
  // Insights alone are asked as of a sequence.
  const { askPast } = await import("./insights.js");
  for (;;) {
    const { tables } = now.contexts;
    const answer = await askPast(sequence, now, slices, ask);
    // Who was erased meanwhile is in no answer.
    if (now.contexts.tables === tables) return answer;
  }
}
