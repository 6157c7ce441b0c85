import { parameterError } from "../../base/errors.js";
import { Turns } from "../../base/turn.js";
import type { Plan } from "../../plan/plan.js";
import type { Store } from "../../store/live/store.js";
import { storeAsOf } from "../../store/live/store-as-of.js";
import type { VisibleStore } from "../../store/live/visible-store.js";
import { ReportContexts } from "./report-contexts.js";
import type { Slices } from "./slices.js";

/** Where a question looks. */
export interface Asked {
  readonly store: VisibleStore;
  readonly contexts: ReportContexts;
}

/** The store of now, and what its questions share. */
export interface Present extends Asked {
  readonly store: Store;
}

/**
 * Asks the store of now or, where the plan names a sequence, the store as it was then.
 * @param ask looks at nothing else @throws invalid_parameter (the store has not come to the sequence), and what `ask` throws
 */
export async function asOfPlan<A>(plan: Plan, now: Present, slices: Slices, ask: (asked: Asked) => Promise<A>): Promise<A> {
  const sequence = "asOf" in plan ? plan.asOf : null;
  if (sequence === null || sequence === "latest") return await ask(now);
  for (;;) {
    const { tables } = now.contexts;
    const answer = await askPast(sequence, now, slices, ask);
    // Who was erased meanwhile is in no answer.
    if (now.contexts.tables === tables) return answer;
  }
}

async function askPast<A>(sequence: number, { store, contexts }: Present, slices: Slices, ask: (asked: Asked) => Promise<A>): Promise<A> {
  refuseUnreached(sequence, store);
  const past = await storeAsOf(store, sequence, new Turns(undefined, () => slices.yieldSometimes()));
  const own = new ReportContexts(past, contexts.rates, contexts.rules);
  try {
    return await ask({ store: past, contexts: own });
  } finally {
    past.release();
  }
}

function refuseUnreached(sequence: number, { newestSequence, records }: Store): void {
  if (sequence > newestSequence)
    throw parameterError("invalid_parameter", "asOf", `expected a sequence up to the newest, which is ${newestSequence}, got ${sequence}`);
  // All of them had come by the newest, whichever sequences they have.
  if (sequence < newestSequence && records.hasUnnumbered)
    throw parameterError("invalid_parameter", "asOf", `expected latest, or ${newestSequence}: an earlier version sealed records of this store without sequences`);
}
