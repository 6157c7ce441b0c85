import { isoOfDay } from "../base/time.js";
import type { Selector } from "../filter/predicate.js";
import { accessOf } from "../filter/select.js";
import type { Plan } from "../plan/plan.js";
import type { Rows } from "../segment/rows.js";
import { Span, type SpanPart } from "../segment/span.js";
import type { Store } from "../store/store.js";
import type { Explanation } from "./daybook.js";
import { columnsFor, keptKeyOf } from "./gathering.js";
import type { ReportContexts } from "./report-contexts.js";
import { reportOf } from "./report-of.js";

/** Which segments, columns and rows a plan would touch: from zone maps, times, dictionaries and what is kept; no row is read. */
export async function explainPlan(store: Store, contexts: ReportContexts, plan: Plan): Promise<Explanation> {
  const snapshot = store.snapshot();
  try {
    const context = await contexts.of(plan, snapshot);
    const report = reportOf(plan);
    const wanted = [...context.selector.columns, ...report.columns(plan, context)];
    const columns = new Set<string>();
    let rowCount = 0;
    const kept = new Set(keptSegments(snapshot.spans, context.selector, keptKeyOf(report, plan, context)));
    const segments = snapshot.rows.map((rows) => {
      const access: Explanation["segments"][number]["access"] = kept.has(rows) ? "kept" : accessOf(rows, context.selector);
      if (access !== "pruned" && access !== "kept") {
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

/** The segments whose part of the answer a span keeps. */
function keptSegments(parts: readonly SpanPart[], selector: Selector, key: string | null): Rows[] {
  if (key === null) return [];
  const isWithin = (part: Span) => part.firstMs >= selector.fromMs && part.lastMs < selector.toMs;
  return parts.flatMap((part) => {
    if (!(part instanceof Span)) return [];
    return isWithin(part) && part.kept(key) !== null ? part.segments() : keptSegments(part.parts, selector, key);
  });
}
