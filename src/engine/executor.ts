import type { Missing } from "../derived/missing.js";
import type { Answer, Executor, Plan, ReportName } from "../plan/plan.js";
import type { AnyFold, FoldContext, Study } from "../report/form/report.js";
import type { TableMoment } from "../table/tables.js";
import type { Store } from "../store/live/store.js";
import { atMoment, type Asking } from "./at-moment.js";
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
    const work = newWork();
    await slices.yieldSometimes();
    const answer =
      report.kind === "study" ? await this.#study(report, plan, slices, work) : await this.#fold(report, plan, slices, work);
    this.onWork(plan.report, work);
    return answer;
  }

  #asking(plan: Plan, slices: Slices, work: Work): Asking {
    return { plan, store: this.store, contexts: this.contexts, slices, onRows: (rowCount) => (work.rowCount += rowCount), onLoad: () => (work.loadCount += 1) };
  }

  #study<K extends ReportName>(report: Study<K>, plan: Plan<K>, slices: Slices, work: Work): Promise<Answer<K>> {
    return atMoment(this.#asking(plan, slices, work), (moment, missing) => report.answer(plan, moment, missing), (answer) => answer);
  }

  #fold<K extends ReportName>(report: AnyFold<K>, plan: Plan<K>, slices: Slices, work: Work): Promise<Answer<K>> {
    const begin = (moment: TableMoment, missing: Missing): { readonly read: unknown; readonly context: Promise<FoldContext> } | null => {
      const read = report.read?.(plan, moment, missing) ?? null;
      return missing.isEmpty ? { read, context: this.contexts.of(plan, moment) } : null;
    };
    return atMoment(this.#asking(plan, slices, work), begin, async ({ read, context }, snapshot) => {
      const known = await context;
      work.dictionaryValueCount = known.selector.testedValueCount;
      const gathering = new Gathering(report, plan, known, work, slices);
      try {
        const state = await gathering.stateOf(snapshot, read);
        await slices.yieldSometimes();
        return await report.finish(state, plan, known, () => slices.yieldSometimes());
      } finally {
        gathering.release();
      }
    });
  }
}

function newWork(): Work {
  return { segmentCount: 0, prunedCount: 0, keptCount: 0, rowCount: 0, loadCount: 0, dictionaryValueCount: 0 };
}
