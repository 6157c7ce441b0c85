import { parameterError } from "../../core/base/errors.js";
import { Turns } from "../../core/base/yield.js";
import type { Store } from "../../store/live/store.js";
import { storeAsOf } from "../../store/live/store-as-of.js";
import type { QueryTarget, Present } from "./as-of.js";
import { ReportContexts } from "./report-contexts.js";
import type { Slices } from "./slices.js";

/** Runs `ask` on the store as of a sequence. @throws invalid_parameter (the store has not reached it), and what `ask` throws */
export async function runAsOf<A>(sequence: number, { store, contexts }: Present, slices: Slices, ask: (asked: QueryTarget) => Promise<A>): Promise<A> {
  refuseUnreached(sequence, store);
  const past = await storeAsOf(store, sequence, new Turns(undefined, () => slices.yieldSometimes()));
  const own = new ReportContexts(past, contexts.rates, contexts.rules);
  try {
    return await ask({ store: past, contexts: own });
  } finally {
    past.release();
  }
}

function refuseUnreached(sequence: number, { newestSequence }: Store): void {
  if (sequence > newestSequence)
    throw parameterError("invalid_parameter", "asOf", `expected a sequence up to the newest, which is ${newestSequence}, got ${sequence}`);
}
