import { dayStartMs } from "../../core/base/time.js";
import { DEFAULT_PROJECT } from "../../core/schema/fields.js";
import type { QueryScope, Range } from "../../query/plan/plan.js";
import type { ScopePlan } from "../../query/plan/scope.js";
import { conditionsOf, textOfRows } from "../../query/scope-events.js";
import { projectsOf, type Store, type VisibleStore } from "../../store/live/store.js";
import { answerOf, executionOf } from "../query/executor.js";
import { ReportContexts } from "../query/report-contexts.js";
import type { ScopeView, ScopeViews } from "./scope-view.js";
import { ScopedStore } from "./scoped-store.js";

/** Kept at once, however small they are. */
const VIEW_COUNT_MAX = 1_000;
/** A row with what it and queries add to memory, measured with the traffic of the benchmark: 420 bytes, 690 after three insights. */
const BYTES_PER_ROW = 700;

/** The events of the scopes that were used last, within a quarter of the memory budget. Equal scopes share one copy. */
export class Scopes implements ScopeViews {
  /** Least recently used first. */
  readonly #views = new Map<string, { readonly view: ScopeView; readonly scoped: ScopedStore }>();
  #whole: ScopeView | null = null;

  /**
   * @param contexts of the whole store
   * @param retrying retries a read whose files were replaced
   */
  constructor(
    readonly store: Store,
    readonly contexts: ReportContexts,
    readonly retrying: <T>(read: () => Promise<T>) => Promise<T>,
  ) {}

  async viewOf(plans: readonly ScopePlan[], nowMs: number): Promise<ScopeView> {
    const conditions = conditionsOf(plans, nowMs);
    if (conditions === null) return (this.#whole ??= this.#wholeView());
    const [{ range }] = conditions;
    const key = `${range.fromMs} ${range.toMs} ${[...new Set(plans.map(({ rows }) => textOfRows(rows)))].sort().join(" ")}`;
    const known = this.#views.get(key) ?? this.#made(conditions);
    this.#views.delete(key);
    this.#views.set(key, known);
    this.#evict();
    await this.retrying(() => known.scoped.refresh());
    return known.view;
  }

  /** Drops all copies. Queries under way take their events anew. */
  clear(): void {
    for (const { scoped } of this.#views.values()) scoped.startAgain();
    this.#views.clear();
  }

  #made(conditions: readonly [QueryScope, ...QueryScope[]]) {
    const scoped = new ScopedStore(this.store, this.contexts, conditions, () => own.clear());
    const own = new ReportContexts(scoped, this.contexts.rates, this.contexts.rules);
    const projects = () => [...new Set([DEFAULT_PROJECT, ...scoped.projects])];
    return { view: { ...this.#reading(scoped, own), projects, hasKey: (key: string) => scoped.hasKey(key) }, scoped };
  }

  #wholeView(): ScopeView {
    const { store, contexts } = this;
    return { ...this.#reading(store, contexts), projects: () => projectsOf(store), hasKey: (key) => store.dictionaries.knownKeyCode(key) >= 0 };
  }

  #reading(store: VisibleStore, contexts: ReportContexts): Pick<ScopeView, "execute" | "daysOf"> {
    return {
      execute: (plan, signal) => this.retrying(async () => answerOf(await executionOf(plan, store, contexts, signal))),
      daysOf: (range) => this.retrying(() => store.betweenCommits(() => daysOf(store, range))),
    };
  }

  /** Drops the copies used longest ago, but the newest. A query that reads one keeps it until its end. */
  #evict(): void {
    let byteLength = 0;
    for (const { scoped } of this.#views.values()) byteLength += scoped.rowCount * BYTES_PER_ROW;
    for (const [key, { scoped }] of this.#views) {
      if (this.#views.size === 1 || (this.#views.size <= VIEW_COUNT_MAX && byteLength <= this.store.budget.limitBytes / 4)) return;
      byteLength -= scoped.rowCount * BYTES_PER_ROW;
      this.#views.delete(key);
      scoped.release();
    }
  }
}

function daysOf(store: VisibleStore, { fromMs, toMs }: Range): ReadonlyMap<number, number> {
  const snapshot = store.snapshot();
  try {
    const days = new Map<number, number>();
    for (const { day, rowCount } of snapshot.rows)
      if (dayStartMs(day) < toMs && dayStartMs(day + 1) > fromMs) days.set(day, (days.get(day) ?? 0) + rowCount);
    return days;
  } finally {
    snapshot.release();
  }
}
