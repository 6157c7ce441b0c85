import { DaybookError } from "../base/errors.js";
import { LIMITS } from "../base/limits.js";
import { nextTurn } from "../base/turn.js";
import type { Selector } from "../filter/predicate.js";
import { accessOf, isWhole } from "../filter/select.js";
import type { Answer, Executor, Plan, ReportName } from "../plan/plan.js";
import { TIME_COLUMN } from "../schema/fields.js";
import type { Rows } from "../segment/rows.js";
import type { Store } from "../store/store.js";
import type { ReportContexts } from "./report-contexts.js";
import { reportOf } from "./report-of.js";

/** What answering one question touched: counts of work, which tests assert where clocks would lie. */
export interface Work {
  /** Segments and heads read, and those left out by their zone maps and times alone. */
  segmentCount: number;
  prunedCount: number;
  /** Rows of the segments read. */
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

  async execute<K extends ReportName>(plan: Plan<K>, signal?: AbortSignal): Promise<Answer<K>> {
    const report = reportOf(plan);
    const snapshot = this.store.snapshot();
    const pinned: Rows[] = [];
    const slices = new Slices(signal);
    try {
      refuseAborted(signal);
      const context = await this.contexts.of(plan, snapshot, () => slices.yieldSometimes());
      const { selector } = context;
      const work = newWork(selector);
      const state = report.begin(plan, context);
      const columns = [...selector.columns, ...report.columns(plan, context)];
      for (const rows of snapshot.rows) {
        await slices.yieldSometimes();
        if (report.isDone?.(state, rows.day) === true) break;
        if (accessOf(rows, selector) === "pruned") {
          work.prunedCount += 1;
          continue;
        }
        rows.pin();
        pinned.push(rows);
        const loading = rows.load(columnsFor(rows, selector, columns));
        if (loading !== null) {
          work.loadCount += 1;
          await loading;
        }
        report.scan(state, rows, context);
        work.segmentCount += 1;
        work.rowCount += rows.rowCount;
        if (report.keepsRows !== true) pinned.pop()?.unpin();
      }
      await slices.yieldSometimes();
      const answer = await report.finish(state, plan, context);
      this.onWork(plan.report, work);
      return answer;
    } finally {
      for (const rows of pinned) rows.unpin();
      snapshot.release();
    }
  }
}

/** Gives others, and the signal, a turn where a question has held the thread for a slice. */
class Slices {
  #startMs = performance.now();

  constructor(readonly signal: AbortSignal | undefined) {}

  /** @throws aborted */
  async yieldSometimes(): Promise<void> {
    if (this.signal === undefined) return;
    if (performance.now() - this.#startMs >= LIMITS.sliceMs) {
      await nextTurn();
      this.#startMs = performance.now();
    }
    refuseAborted(this.signal);
  }
}

function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new DaybookError("aborted", "the query was stopped by its signal");
}

/** Times are read only where the range cuts the day, or a filter asks for them. */
export function columnsFor(rows: Rows, selector: Selector, columns: readonly string[]): readonly string[] {
  const readsTimes = [...selector.all, ...selector.any.flat()].some((predicate) => predicate.kind === "instant");
  return readsTimes || !isWhole(rows, selector) ? [TIME_COLUMN, ...columns] : columns;
}

function newWork(selector: Selector): Work {
  return {
    segmentCount: 0,
    prunedCount: 0,
    rowCount: 0,
    loadCount: 0,
    dictionaryValueCount: selector.testedValueCount,
  };
}
