import type { Selector } from "../filter/predicate.js";
import { accessOf, isWhole } from "../filter/select.js";
import type { Plan, ReportName } from "../plan/plan.js";
import type { Report, ReportContext } from "../report/report.js";
import { TIME_COLUMN } from "../schema/fields.js";
import type { Rows } from "../segment/rows.js";
import { Span, type SpanPart } from "../segment/span.js";
import type { Snapshot } from "../store/catalog.js";
import type { Work } from "./executor.js";
import type { Slices } from "./slices.js";

/** Brings together the state of one question: of each segment, or of spans of them that were asked the same before. */
export class Gathering<K extends ReportName> {
  readonly #columns: readonly string[];
  /** Under which spans keep their part of the answer; null where they do not. */
  readonly #keptKey: string | null;
  readonly #pinned: Rows[] = [];

  constructor(
    readonly report: Report<K, unknown>,
    readonly plan: Plan<K>,
    readonly context: ReportContext,
    readonly work: Work,
    readonly slices: Slices,
  ) {
    const { selector } = context;
    this.#columns = [...selector.columns, ...report.columns(plan, context)];
    this.#keptKey = report.kept === undefined || selector.key === null ? null : `${plan.report} ${report.kept.key(plan, context)} ${selector.key}`;
  }

  async stateOf({ rows, spans, heads }: Snapshot): Promise<unknown> {
    const state = this.report.begin(this.plan, this.context);
    if (this.#keptKey === null) {
      for (const part of rows) {
        if (this.report.isDone?.(state, part.day) === true) break;
        await this.#addRows(state, part);
      }
      return state;
    }
    for (const part of spans) await this.#addPart(state, part, this.#keptKey);
    for (const head of heads) await this.#addRows(state, head);
    return state;
  }

  /** Lets go of the rows that the report wanted to keep to its end. */
  release(): void {
    for (const rows of this.#pinned.splice(0)) rows.unpin();
  }

  async #addPart(state: unknown, part: SpanPart, key: string): Promise<void> {
    if (!(part instanceof Span)) return await this.#addRows(state, part);
    const { fromMs, toMs } = this.context.selector;
    if (part.lastMs < fromMs || part.firstMs >= toMs) this.work.prunedCount += part.segmentCount;
    else if (part.firstMs >= fromMs && part.lastMs < toMs) await this.#addWhole(state, part, key);
    else for (const child of part.parts) await this.#addPart(state, child, key);
  }

  /** Adds what a span of whole segments keeps; its parts are asked where it keeps nothing yet. */
  async #addWhole(state: unknown, span: Span, key: string): Promise<void> {
    const { kept } = this.report;
    if (kept === undefined) return;
    let made = span.kept(key);
    if (made !== null) this.work.keptCount += span.segmentCount;
    else {
      const own = this.report.begin(this.plan, this.context);
      for (const child of span.parts) await this.#addPart(own, child, key);
      made = kept.of(own);
      span.keep(key, made, kept.byteLength(made));
    }
    kept.add(state, made);
  }

  async #addRows(state: unknown, rows: Rows): Promise<void> {
    const { selector } = this.context;
    await this.slices.yieldSometimes();
    if (accessOf(rows, selector) === "pruned") {
      this.work.prunedCount += 1;
      return;
    }
    rows.pin();
    this.#pinned.push(rows);
    const loading = rows.load(columnsFor(rows, selector, this.#columns));
    if (loading !== null) {
      this.work.loadCount += 1;
      await loading;
    }
    this.report.scan(state, rows, this.context);
    this.work.segmentCount += 1;
    this.work.rowCount += rows.rowCount;
    if (this.report.keepsRows !== true) this.#pinned.pop()?.unpin();
  }
}

/** Times are read only where the range cuts the day, or a filter asks for them. */
export function columnsFor(rows: Rows, selector: Selector, columns: readonly string[]): readonly string[] {
  const readsTimes = [...selector.all, ...selector.any.flat()].some((predicate) => predicate.kind === "instant");
  return readsTimes || !isWhole(rows, selector) ? [TIME_COLUMN, ...columns] : columns;
}
