import { isoOfDay } from "../base/time.js";
import type { Selector } from "../filter/predicate.js";
import { accessOf } from "../filter/select.js";
import type { Plan } from "../plan/plan.js";
import type { Rows } from "../segment/rows.js";
import { Span, type SpanPart } from "../segment/span.js";
import type { Snapshot } from "../store/live/catalog.js";
import type { Store } from "../store/live/store.js";
import type { Explanation } from "./daybook.js";
import { atMoment } from "./at-moment.js";
import { columnsFor, keptKeyOf } from "./gathering.js";
import type { ReportContexts } from "./report-contexts.js";
import { reportOf } from "./report-of.js";
import { Slices } from "./slices.js";

/** Which segments, columns and rows a plan would touch: from zone maps, times, dictionaries and what is kept; no row is read. */
export async function explainPlan(store: Store, contexts: ReportContexts, plan: Plan): Promise<Omit<Explanation, "notices">> {
  const asking = { plan, store, contexts, slices: new Slices(undefined), onRows: () => undefined, onLoad: () => undefined };
  return await atMoment(asking, (moment) => ({ context: contexts.of(plan, moment) }), async ({ context }, snapshot) => {
    const known = await context;
    const report = reportOf(plan);
    const wanted = [...known.selector.columns, ...(report.kind === "fold" ? report.columns(plan, known) : [])];
    const columns = new Set<string>();
    let rowCount = 0;
    const kept = new Set(keptRows(snapshot.spans, snapshot, known.selector, report.kind === "fold" ? keptKeyOf(report, plan, known) : null));
    const segments = snapshot.rows.map((rows) => {
      const access: Explanation["segments"][number]["access"] = kept.has(rows) ? "kept" : accessOf(rows, known.selector);
      if (access !== "pruned" && access !== "kept") {
        rowCount += rows.rowCount;
        for (const column of columnsFor(rows, known.selector, wanted)) columns.add(column);
      }
      return { day: isoOfDay(rows.day), rowCount: rows.rowCount, sealed: rows.sealed, access };
    });
    return {
      report: plan.report,
      plan,
      segments,
      columns: [...columns],
      rowCount,
      dictionaryValueCount: known.selector.testedValueCount,
    };
  });
}

/** The segments, and the heads that did not grow since, whose part of the answer a span keeps. */
function keptRows(parts: readonly SpanPart[], snapshot: Snapshot, selector: Selector, key: string | null): Rows[] {
  if (key === null) return [];
  return parts.flatMap((part) => {
    if (!(part instanceof Span)) return [];
    const known = part.firstMs >= selector.fromMs && part.lastMs < selector.toMs ? part.kept(key) : null;
    if (known === null) return keptRows(part.parts, snapshot, selector, key);
    const views = part.heads.map((head) => snapshot.viewOf(head));
    return [...part.segments, ...views.filter(({ rowCount }, at) => rowCount === known.rowCounts[at])];
  });
}
