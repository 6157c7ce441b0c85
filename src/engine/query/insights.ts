import { parameterError } from "../../core/base/errors.js";
import { Turns } from "../../core/base/yield.js";
import type { Store } from "../../store/live/store.js";
import { storeAsOf } from "../../store/live/store-as-of.js";
import { ReportContexts, type QueryExecution } from "./report-contexts.js";

// All code of insights and segments in one chunk, loaded with the first: split up, it would pull what the chunks share out of the core.
export { insightReports } from "../../query/reports/insight-reports.js";
export { NamedSegments } from "./segment-members.js";

/** Runs a query on the store as of a sequence. @throws invalid_parameter (the store has not reached it), and what `run` throws */
export async function runAsOf<A>(sequence: number, store: Store, present: QueryExecution, run: (past: QueryExecution) => Promise<A>): Promise<A> {
  refuseUnreached(sequence, store);
  const { contexts, slices } = present;
  const past = await storeAsOf(store, sequence, new Turns(undefined, () => slices.yieldSometimes()));
  try {
    return await run({ ...present, store: past, contexts: new ReportContexts(past, contexts.rates, contexts.rules) });
  } finally {
    past.release();
  }
}

function refuseUnreached(sequence: number, { newestSequence }: Store): void {
  if (sequence > newestSequence)
    throw parameterError("invalid_parameter", "asOf", `expected a sequence up to the newest, which is ${newestSequence}, got ${sequence}`);
}
