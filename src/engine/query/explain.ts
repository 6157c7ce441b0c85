import { isoOfDay } from "../../core/base/time.js";
import type { Predicate } from "../../query/filter/predicate.js";
import { codeKey, isPruned, isWhole, narrowOf, postingsKey, ROWS_PER_TEST, rowsKey, type Selector } from "../../query/filter/select.js";
import type { AnyPlan } from "../../query/plan/plan.js";
import type { PendingLoads } from "../../storage/derived/pending-loads.js";
import type { Plan, ReportName } from "../../query/queries.js";
import type { AnyPass, RowContext } from "../../query/reports/form/report.js";
import { rowsOfCode, type Postings } from "../../storage/column/postings.js";
import type { Rows } from "../../storage/segment/rows.js";
import { Span, type SpanPart } from "../../storage/segment/span.js";
import type { Snapshot } from "../../store/live/catalog.js";
import type { Store } from "../../store/live/store.js";
import { storeAsOf } from "../../store/live/store-as-of.js";
import { asOfPlan, executionOf, onSnapshot } from "./executor.js";
import { scopesOf, type QueryExecution, type ReportContexts } from "./report-contexts.js";
import { cacheKeyOf, columnsFor } from "./scan.js";

/** Which segments, columns and rows a plan would read, and how: derived from metadata and from cached answers. */
export interface Explanation {
  readonly report: ReportName;
  readonly plan: unknown;
  readonly segments: readonly {
    readonly day: string;
    readonly rowCount: number;
    readonly sealed: boolean;
    /**
     * How rows are found: their part of the answer is cached (`cached`), no row is tested (`all`), the range cuts the day (`range`), lists of the
     * rows of rare values (`postings`), one bit per row and value (`bitmaps`), a test of codes (`scan`); or nothing can match (`pruned`).
     */
    readonly access: "cached" | "all" | "range" | "postings" | "bitmaps" | "scan" | "pruned";
  }[];
  readonly columns: readonly string[];
  readonly rowCount: number;
  readonly dictionaryValueCount: number;
  /** A sentence for each name that is no field and no metadata key of any stored event. */
  readonly notices: readonly string[];
}

/** Which segments, columns and rows a plan would read: from zone maps, times, dictionaries and cached answers, without reading a row. */
export async function explainPlan(store: Store, contexts: ReportContexts, plan: Plan): Promise<Omit<Explanation, "notices">> {
  return await asOfPlan(await executionOf(plan, store, contexts, undefined), store, () => Promise.resolve({ storeAsOf }), explainOn);
}

async function explainOn(execution: QueryExecution): Promise<Omit<Explanation, "notices">> {
  const { plan } = execution;
  return await onSnapshot(execution, (context, pending) => compilingOf(execution, context, pending), async ({ compiling }, snapshot) => {
    const passes = await compiling;
    const columns = new Set<string>();
    let rowCount = 0;
    const cached = passes.map(({ pass, selectors }) => new Set(cachedRows(snapshot.spans, snapshot, selectors, cacheKeyOf(pass, selectors))));
    const segments = snapshot.rows.map((rows) => {
      const accesses = passes.map(({ selectors }, at): SegmentAccess => (cached[at]?.has(rows) === true ? "cached" : widest(selectors.map((selector) => accessOf(rows, selector)))));
      passes.forEach(({ pass, selectors }, at) => {
        if (accesses[at] === "pruned" || accesses[at] === "cached") return;
        rowCount += rows.rowCount;
        for (const column of columnsFor(rows, selectors, [...selectors.flatMap((selector) => selector.columns), ...pass.columns])) columns.add(column);
      });
      return { day: isoOfDay(rows.day), rowCount: rows.rowCount, sealed: rows.sealed, access: widest(accesses) };
    });
    const dictionaryValueCount = passes.reduce((sum, { selectors }) => selectors.reduce((own, { testedValueCount }) => own + testedValueCount, sum), 0);
    // The cast: executions are made of plans of queries.
    return { report: plan.report as ReportName, plan, segments, columns: [...columns], rowCount, dictionaryValueCount };
  });
}

type SegmentAccess = Explanation["segments"][number]["access"];

/** In ascending order of cost. */
const ACCESSES: readonly SegmentAccess[] = ["pruned", "cached", "all", "range", "postings", "bitmaps", "scan"];

/** The costliest: a query with several passes over rows is as fast as its slowest pass. */
function widest(accesses: readonly SegmentAccess[]): SegmentAccess {
  return accesses.reduce((most, access) => (ACCESSES.indexOf(access) > ACCESSES.indexOf(most) ? access : most), "pruned");
}

/** Null if something is missing. */
function compilingOf({ plan, report, PeopleSegments, contexts }: QueryExecution, context: RowContext, pending: PendingLoads) {
  const passes = "answer" in report ? [] : report.prepare(plan, context, pending)?.passes;
  if (passes === undefined || !pending.isEmpty) return null;
  const own = passes.length === 0 ? [passOverAll(plan)] : passes;
  const ofSegments = PeopleSegments === null ? [] : new PeopleSegments(scopesOf(own)).passes;
  return { compiling: contexts.compile([...ofSegments, ...own], context, null) };
}

/** In place of the tables that a report reads: a pass over the rows of its scope. */
function passOverAll(plan: AnyPlan): AnyPass {
  return { scopes: [plan], columns: [], begin: () => null, scan: () => undefined };
}

/** The segments, and the heads without newer rows, whose part of the answer a span has cached. */
function cachedRows(parts: readonly SpanPart[], snapshot: Snapshot, selectors: readonly Selector[], key: string | null): Rows[] {
  if (key === null) return [];
  return parts.flatMap((part) => {
    if (!(part instanceof Span)) return [];
    const known = selectors.every(({ fromMs, toMs }) => part.firstMs >= fromMs && part.lastMs < toMs) ? part.cached(key) : null;
    if (known === null) return cachedRows(part.parts, snapshot, selectors, key);
    const views = part.heads.map((head) => snapshot.viewOf(head));
    return [...part.segments, ...views.filter(({ rowCount }, at) => rowCount === known.rowCounts[at])];
  });
}

/** How the rows of a segment will be found, judged by metadata and by cache entries of earlier queries. Reads no row. */
function accessOf(rows: Rows, selector: Selector): SegmentAccess {
  if (isPruned(rows, selector)) return "pruned";
  const { all, any, key } = selector;
  if (all.length === 0 && any.length === 0) return isWhole(rows, selector) ? "all" : "range";
  if (hasFewRows(rows, selector)) return "postings";
  const isCached = key !== null && rows.cached(rowsKey(key), []) !== null;
  return isCached || [...all, ...any.flat()].every((predicate) => hasBits(predicate, rows)) ? "bitmaps" : "scan";
}

/** Whether `fewRows` would return rows at once, judged by cache entries. */
export function hasFewRows(rows: Rows, { all, any }: Selector): boolean {
  if (any.length > 0 || !rows.immutable) return false;
  return all.some((predicate) => {
    const narrow = narrowOf(predicate);
    // Only posting lists are cached under this key.
    const postings = narrow === null ? null : (rows.cached(postingsKey(narrow.column), []) as Postings | null);
    if (narrow === null || postings === null) return false;
    return narrow.codes.reduce((sum, code) => sum + rowsOfCode(postings, code).length, 0) * ROWS_PER_TEST <= rows.rowCount;
  });
}

/** Whether the bitmap of each value that the predicate names is cached. */
function hasBits(predicate: Predicate, rows: Rows): boolean {
  if (predicate.kind === "constant") return true;
  if (predicate.kind !== "codes" || predicate.columns.length > 1) return false;
  const [column = ""] = predicate.columns;
  return predicate.sets[0]?.list?.every((code) => code === 0 || rows.cached(codeKey(column, code), []) !== null) === true;
}
