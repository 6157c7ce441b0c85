import type { Selector } from "../filter/predicate.js";
import type { Answer, Executor, Plan, ReportName } from "../plan/plan.js";
import type { Store } from "../store/store.js";
import { Gathering } from "./gathering.js";
import type { ReportContexts } from "./report-contexts.js";
import { reportOf } from "./report-of.js";
import { Slices } from "./slices.js";

/** What answering one question touched: counts of work, which tests assert where clocks would lie. */
export interface Work {
  /** Segments and heads read, and those left out by their zone maps and times alone. */
  segmentCount: number;
  prunedCount: number;
  /** Segments, and heads that did not grow since, whose part of the answer was kept from a question before. */
  keptCount: number;
  /** Rows of the segments and heads read; of heads whose earlier rows are known, those that came since. */
  rowCount: number;
  /** Segments of which some column had to be read from storage. */
  loadCount: number;
  /** Dictionary values tested by filters. */
  dictionaryValueCount: number;
}

/** Answers plans from the segments and heads of one store. */
export class MemoryExecutor implements Executor {
  constructor(
    readonly store: Store,
    readonly contexts: ReportContexts,
    readonly onWork: (report: ReportName, work: Work) => void,
  ) {}

  async execute<K extends ReportName>(plan: Plan<K>, signal?: Pick<AbortSignal, "aborted">): Promise<Answer<K>> {
    const report = reportOf(plan);
    const slices = new Slices(signal);
    await slices.yieldSometimes();
    await this.store.whole();
    // Who is who is looked up in the same turn: links and events of one moment.
    const snapshot = this.store.snapshot();
    let gathering: Gathering<K> | null = null;
    try {
      const context = await this.contexts.of(plan, snapshot, () => slices.yieldSometimes());
      const work = newWork(context.selector);
      gathering = new Gathering(report, plan, context, work, slices);
      const state = await gathering.stateOf(snapshot);
      await slices.yieldSometimes();
      const answer = await report.finish(state, plan, context, () => slices.yieldSometimes());
      this.onWork(plan.report, work);
      return answer;
    } finally {
      gathering?.release();
      snapshot.release();
    }
  }
}

function newWork(selector: Selector): Work {
  return {
    segmentCount: 0,
    prunedCount: 0,
    keptCount: 0,
    rowCount: 0,
    loadCount: 0,
    dictionaryValueCount: selector.testedValueCount,
  };
}
