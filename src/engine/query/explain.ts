import { isoOfDay } from "../../core/base/time.js";
import { accessOf, type Selector } from "../../query/filter/select.js";
import type { PendingLoads } from "../../storage/derived/pending-loads.js";
import type { Plan, ReportName } from "../../query/queries.js";
import type { AnyPass, PassContext } from "../../query/reports/form/report.js";
import type { Rows } from "../../storage/segment/rows.js";
import { Span, type SpanPart } from "../../storage/segment/span.js";
import type { Snapshot } from "../../store/live/catalog.js";
import type { TableSnapshot } from "../../query/tables/tables.js";
import type { Store } from "../../store/live/store.js";
import { newStats, Slices } from "./execution.js";
import { asOfPlan, onSnapshot } from "./on-snapshot.js";
import { columnsFor, cacheKeyOf } from "./scan.js";
import type { QueryExecution, ReportContexts } from "./report-contexts.js";
import { loadReport, reportOf, passOfSinglePass } from "./report-of.js";

/** Which segments, columns and rows a plan would read, and how: derived from metadata and from cached answers. */
export interface Explanation {
  readonly report: ReportName;
  readonly plan: unknown;
  readonly segments: readonly {
    readonly day: string;
    readonly rowCount: number;
    readonly sealed: boolean;
    /**
     * How rows are found: their part of the answer is cached (`kept`), no row is tested (`all`), the range cuts the day (`range`), lists of the rows
     * of rare values (`postings`), one bit per row and value (`bitmaps`), a test of codes (`scan`); or nothing can match (`pruned`).
     */
    readonly access: "kept" | "all" | "range" | "postings" | "bitmaps" | "scan" | "pruned";
  }[];
  readonly columns: readonly string[];
  readonly rowCount: number;
  readonly dictionaryValueCount: number;
  /** A sentence for each name that is no field and no metadata key of any stored event. */
  readonly notices: readonly string[];
}

/** Which segments, columns and rows a plan would read: from zone maps, times, dictionaries and cached answers, without reading a row. */
export async function explainPlan(store: Store, contexts: ReportContexts, plan: Plan): Promise<Omit<Explanation, "notices">> {
  await loadReport(plan);
  const present = { store, contexts, slices: new Slices(undefined), stats: newStats() };
  return await asOfPlan(plan, store, present, (execution) => explainOn(execution, plan));
}

async function explainOn(execution: QueryExecution, plan: Plan): Promise<Omit<Explanation, "notices">> {
  return await onSnapshot(plan, execution, (moment, missing) => passesOf(plan, execution.contexts, moment, missing), async ({ passing }, snapshot) => {
    const passes = await passing;
    const columns = new Set<string>();
    let rowCount = 0;
    const kept = passes.map(({ part, selectors }) => new Set(keptRows(snapshot.spans, snapshot, selectors, part === null ? null : cacheKeyOf(part, selectors))));
    const segments = snapshot.rows.map((rows) => {
      const accesses = passes.map(({ selectors }, at): SegmentAccess => (kept[at]?.has(rows) === true ? "kept" : widest(selectors.map((selector) => accessOf(rows, selector)))));
      passes.forEach(({ part, selectors }, at) => {
        if (accesses[at] === "pruned" || accesses[at] === "kept") return;
        rowCount += rows.rowCount;
        for (const column of columnsFor(rows, selectors, [...selectors.flatMap((selector) => selector.columns), ...(part?.columns ?? [])])) columns.add(column);
      });
      return { day: isoOfDay(rows.day), rowCount: rows.rowCount, sealed: rows.sealed, access: widest(accesses) };
    });
    const dictionaryValueCount = passes.reduce((sum, { selectors }) => selectors.reduce((own, { testedValueCount }) => own + testedValueCount, sum), 0);
    return { report: plan.report, plan, segments, columns: [...columns], rowCount, dictionaryValueCount };
  });
}

type SegmentAccess = Explanation["segments"][number]["access"];

/** In ascending order of cost. */
const ACCESSES: readonly SegmentAccess[] = ["pruned", "kept", "all", "range", "postings", "bitmaps", "scan"];

/** The costliest: a query with several passes over rows is as fast as its slowest pass. */
function widest(accesses: readonly SegmentAccess[]): SegmentAccess {
  return accesses.reduce((most, access) => (ACCESSES.indexOf(access) > ACCESSES.indexOf(most) ? access : most), "pruned");
}

/** One pass over rows; `part` is null for a table query, which reads tables instead. */
interface ExplainedPass {
  readonly part: AnyPass | null;
  readonly selectors: readonly Selector[];
}

/** Null if something is missing. */
function passesOf(plan: Plan, contexts: ReportContexts, moment: TableSnapshot, missing: PendingLoads): { readonly passing: Promise<readonly ExplainedPass[]> } | null {
  const report = reportOf(plan);
  const read = report.kind === "table_query" ? null : (report.read?.(plan, moment, missing) ?? null);
  if (!missing.isEmpty) return null;
  if (report.kind === "multi_pass") {
    const own = Object.values(report.parts(plan, contexts.rowContextOf(moment), read));
    return { passing: passesOfParts([...contexts.segmentPartsOf(own.flatMap(({ scopes }) => scopes)), ...own], contexts, moment) };
  }
  const pass = (context: PassContext): ExplainedPass => ({ part: report.kind === "single_pass" ? passOfSinglePass(report, plan, context, read) : null, selectors: [context.selector] });
  const ofSegments = passesOfParts(contexts.segmentPartsOf([plan]), contexts, moment);
  return { passing: Promise.all([ofSegments, contexts.of(plan, moment, null)]).then(([passes, context]) => [...passes, pass(context)]) };
}

async function passesOfParts(parts: readonly AnyPass[], contexts: ReportContexts, moment: TableSnapshot): Promise<readonly ExplainedPass[]> {
  const lists = await contexts.selectorsOf(parts, moment, null);
  return parts.map((part, at) => ({ part, selectors: lists[at] ?? [] }));
}

/** The segments, and the heads without newer rows, whose part of the answer a span has cached. */
function keptRows(parts: readonly SpanPart[], snapshot: Snapshot, selectors: readonly Selector[], key: string | null): Rows[] {
  if (key === null) return [];
  return parts.flatMap((part) => {
    if (!(part instanceof Span)) return [];
    const known = selectors.every(({ fromMs, toMs }) => part.firstMs >= fromMs && part.lastMs < toMs) ? part.kept(key) : null;
    if (known === null) return keptRows(part.parts, snapshot, selectors, key);
    const views = part.heads.map((head) => snapshot.viewOf(head));
    return [...part.segments, ...views.filter(({ rowCount }, at) => rowCount === known.rowCounts[at])];
  });
}
