import type { PendingLoads } from "../../storage/derived/pending-loads.js";
import type { Answer, Executor, Plan, ReportName } from "../../query/plan/plan.js";
import type { AnySinglePass, AnyMultiPass, PassContext, Report, TableQuery } from "../../query/reports/form/report.js";
import type { TableSnapshot } from "../../query/tables/tables.js";
import type { Snapshot } from "../../store/live/catalog.js";
import type { Store } from "../../store/live/store.js";
import { asOfPlan, type QueryTarget } from "./as-of.js";
import { onSnapshot, type RunningQuery } from "./on-snapshot.js";
import { Gathering } from "./gathering.js";
import type { ReportContexts } from "./report-contexts.js";
import { partOfFold, loadReport, reportOf } from "./report-of.js";
import { Slices } from "./slices.js";
import { newWork, type Work } from "./work.js";

/** A query under way: what it reads, how it yields, and its work. */
interface QueryRun extends QueryTarget {
  readonly slices: Slices;
  readonly work: Work;
}

function askingOf(plan: Plan, { store, contexts, slices, work }: QueryRun): RunningQuery {
  return { plan, store, contexts, slices, onRows: (rowCount) => (work.rowCount += rowCount), onLoad: () => (work.loadCount += 1) };
}

/** Runs plans on the segments and heads of one store. */
export class MemoryExecutor implements Executor {
  constructor(
    readonly store: Store,
    readonly contexts: ReportContexts,
    readonly onWork: (report: ReportName, work: Work) => void,
  ) {}

  async execute<K extends ReportName>(plan: Plan<K>, signal?: Pick<AbortSignal, "aborted">): Promise<Answer<K>> {
    await loadReport(plan);
    const report = reportOf(plan);
    const slices = new Slices(signal);
    const work = newWork();
    await slices.yieldSometimes();
    const answer = await asOfPlan(plan, this, slices, (asked) => this.#answer(report, plan, { ...asked, slices, work }));
    this.onWork(plan.report, work);
    return answer;
  }

  #answer<K extends ReportName>(report: Report<K>, plan: Plan<K>, question: QueryRun): Promise<Answer<K>> {
    if (report.kind === "table_query") return this.#study(report, plan, question);
    return report.kind === "single_pass" ? this.#fold(report, plan, question) : this.#survey(report, plan, question);
  }

  #study<K extends ReportName>(report: TableQuery<K>, plan: Plan<K>, question: QueryRun): Promise<Answer<K>> {
    return onSnapshot(askingOf(plan, question), (moment, missing) => report.answer(plan, moment, missing), (answer) => answer);
  }

  #fold<K extends ReportName>(report: AnySinglePass<K>, plan: Plan<K>, question: QueryRun): Promise<Answer<K>> {
    const { contexts, slices, work } = question;
    const begin = (moment: TableSnapshot, missing: PendingLoads, snapshot: Snapshot): { readonly read: unknown; readonly context: Promise<PassContext> } | null => {
      const read = report.read?.(plan, moment, missing) ?? null;
      return missing.isEmpty ? { read, context: contexts.of(plan, moment, { snapshot, work, slices }) } : null;
    };
    return onSnapshot(askingOf(plan, question), begin, async ({ read, context }, snapshot, missing) => {
      const known = await context;
      if (!missing.isEmpty) return null;
      work.dictionaryValueCount += known.selector.testedValueCount;
      const gathering = new Gathering(partOfFold(report, plan, known, read), [known.selector], work, slices);
      try {
        const state = await gathering.stateOf(snapshot);
        await slices.yieldSometimes();
        if (!missing.isEmpty) return null;
        return await report.finish(state, plan, known, () => slices.yieldSometimes());
      } finally {
        gathering.release();
      }
    });
  }

  #survey<K extends ReportName>(report: AnyMultiPass<K>, plan: Plan<K>, question: QueryRun): Promise<Answer<K>> {
    const { contexts, slices, work } = question;
    const begin = (moment: TableSnapshot, missing: PendingLoads, snapshot: Snapshot) => {
      const read = report.read?.(plan, moment, missing) ?? null;
      if (!missing.isEmpty) return null;
      const context = contexts.rowContextOf(moment);
      const parts = Object.entries(report.parts(plan, context, read));
      return { read, context, parts, selecting: contexts.selectorsOf(parts.map(([, part]) => part), moment, { snapshot, work, slices }) };
    };
    return onSnapshot(askingOf(plan, question), begin, async ({ read, context, parts, selecting }, snapshot, missing) => {
      const selectors = await selecting;
      if (!missing.isEmpty) return null;
      const gatherings: Gathering<unknown, unknown>[] = [];
      const states: Record<string, unknown> = {};
      try {
        for (const [at, [name, part]] of parts.entries()) {
          const own = selectors[at] ?? [];
          for (const { testedValueCount } of own) work.dictionaryValueCount += testedValueCount;
          const gathering = new Gathering(part, own, work, slices);
          gatherings.push(gathering);
          states[name] = await gathering.stateOf(snapshot);
        }
        await slices.yieldSometimes();
        if (!missing.isEmpty) return null;
        return await report.finish(states, plan, context, read, () => slices.yieldSometimes());
      } finally {
        for (const gathering of gatherings) gathering.release();
      }
    });
  }
}
