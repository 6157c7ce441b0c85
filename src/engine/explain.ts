import { isoOfDay } from "../base/time.js";
import { accessOf } from "../filter/select.js";
import type { Plan } from "../plan/plan.js";
import type { Report } from "../report/report.js";
import { reports } from "../report/reports.js";
import type { Store } from "../store/store.js";
import type { Explanation } from "./daybook.js";
import { columnsFor, contextOf } from "./executor.js";

/** Which segments, columns and rows a plan would touch: from zone maps, times and dictionaries, no row is read. */
export async function explainPlan(store: Store, plan: Plan): Promise<Explanation> {
  const snapshot = store.snapshot();
  try {
    const context = await contextOf(store, plan, snapshot.sequence);
    const report = reports[plan.report] as Report<typeof plan.report, unknown>;
    const wanted = [...context.selector.columns, ...report.columns(plan as never, context)];
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
