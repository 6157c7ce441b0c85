import { isoOfDay } from "../base/time.js";
import { accessOf } from "../filter/select.js";
import type { Plan } from "../plan/plan.js";
import type { Store } from "../store/store.js";
import type { Explanation } from "./daybook.js";
import { columnsFor } from "./gathering.js";
import type { ReportContexts } from "./report-contexts.js";
import { reportOf } from "./report-of.js";

/** Which segments, columns and rows a plan would touch: from zone maps, times and dictionaries, no row is read. */
export async function explainPlan(store: Store, contexts: ReportContexts, plan: Plan): Promise<Explanation> {
  const snapshot = store.snapshot();
  try {
    const context = await contexts.of(plan, snapshot);
    const report = reportOf(plan);
    const wanted = [...context.selector.columns, ...report.columns(plan, context)];
    const columns = new Set<string>();
    let rowCount = 0;
    const segments = snapshot.rows.map((rows) => {
      const access = accessOf(rows, context.selector);
      if (access !== "pruned") {
        rowCount += rows.rowCount;
        for (const column of columnsFor(rows, context.selector, wanted)) columns.add(column);
      }
      return { day: isoOfDay(rows.day), rowCount: rows.rowCount, sealed: rows.sealed, access };
    });
    return {
      report: plan.report,
      plan,
      segments,
      columns: [...columns],
      rowCount,
      dictionaryValueCount: context.selector.testedValueCount,
    };
  } finally {
    snapshot.release();
  }
}
