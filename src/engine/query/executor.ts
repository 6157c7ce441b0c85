import type { PendingLoads } from "../../storage/derived/pending-loads.js";
import type { Answer, Executor, Plan, ReportName } from "../../query/queries.js";
import type { AnySinglePass, AnyMultiPass, PassContext, TableQuery } from "../../query/reports/form/report.js";
import type { TableSnapshot } from "../../query/tables/tables.js";
import type { Snapshot } from "../../store/live/catalog.js";
import type { Store } from "../../store/live/store.js";
import { newStats, Slices, type QueryStats } from "./execution.js";
import { asOfPlan, onSnapshot } from "./on-snapshot.js";
import type { QueryExecution, ReportContexts } from "./report-contexts.js";
import { loadReport, reportOf, passOfSinglePass } from "./report-of.js";
import { scanAll } from "./scan.js";

/** Runs plans on the segments and heads of one store. */
export class MemoryExecutor implements Executor {
  constructor(
    readonly store: Store,
    readonly contexts: ReportContexts,
    readonly onWork: (report: ReportName, stats: QueryStats) => void,
  ) {}

  async execute<K extends ReportName>(plan: Plan<K>, signal?: Pick<AbortSignal, "aborted">): Promise<Answer<K>> {
    await loadReport(plan);
    const { store, contexts } = this;
    const present = { store, contexts, slices: new Slices(signal), stats: newStats() };
    await present.slices.yieldSometimes();
    const answer = await asOfPlan(plan, store, present, (execution) => answerOf(plan, execution));
    this.onWork(plan.report, present.stats);
    return answer;
  }
}

function answerOf<K extends ReportName>(plan: Plan<K>, execution: QueryExecution): Promise<Answer<K>> {
  const report = reportOf(plan);
  if (report.kind === "table_query") return tableQuery(report, plan, execution);
  return report.kind === "single_pass" ? singlePass(report, plan, execution) : multiPass(report, plan, execution);
}

function tableQuery<K extends ReportName>(report: TableQuery<Plan<K>, Answer<K>>, plan: Plan<K>, execution: QueryExecution): Promise<Answer<K>> {
  return onSnapshot(plan, execution, (moment, missing) => report.answer(plan, moment, missing), (answer) => answer);
}

function singlePass<K extends ReportName>(report: AnySinglePass<Plan<K>, Answer<K>>, plan: Plan<K>, execution: QueryExecution): Promise<Answer<K>> {
  const { contexts, slices } = execution;
  const begin = (moment: TableSnapshot, missing: PendingLoads, snapshot: Snapshot): { readonly read: unknown; readonly context: Promise<PassContext> } | null => {
    const read = report.read?.(plan, moment, missing) ?? null;
    return missing.isEmpty ? { read, context: contexts.of(plan, moment, { ...execution, snapshot }) } : null;
  };
  return onSnapshot(plan, execution, begin, async ({ read, context }, snapshot, missing) => {
    const known = await context;
    if (!missing.isEmpty) return null;
    return await scanAll([passOfSinglePass(report, plan, known, read)], [[known.selector]], { ...execution, snapshot }, async ([state]) => {
      await slices.yieldSometimes();
      return missing.isEmpty ? await report.finish(state, plan, known, () => slices.yieldSometimes()) : null;
    });
  });
}

function multiPass<K extends ReportName>(report: AnyMultiPass<Plan<K>, Answer<K>>, plan: Plan<K>, execution: QueryExecution): Promise<Answer<K>> {
  const { contexts, slices } = execution;
  const begin = (moment: TableSnapshot, missing: PendingLoads, snapshot: Snapshot) => {
    const read = report.read?.(plan, moment, missing) ?? null;
    if (!missing.isEmpty) return null;
    const context = contexts.rowContextOf(moment);
    const parts = report.parts(plan, context, read);
    return { read, context, parts, selecting: contexts.selectorsOf(Object.values(parts), moment, { ...execution, snapshot }) };
  };
  return onSnapshot(plan, execution, begin, async ({ read, context, parts, selecting }, snapshot, missing) => {
    const selectors = await selecting;
    if (!missing.isEmpty) return null;
    return await scanAll(Object.values(parts), selectors, { ...execution, snapshot }, async (states) => {
      await slices.yieldSometimes();
      if (!missing.isEmpty) return null;
      const named = Object.fromEntries(Object.keys(parts).map((name, at) => [name, states[at]]));
      return await report.finish(named, plan, context, read, () => slices.yieldSometimes());
    });
  });
}
