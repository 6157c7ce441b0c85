import { LIMITS } from "../../core/base/limits.js";
import { DEFAULT_PROJECT } from "../../core/schema/fields.js";
import type { QueryScope, Range } from "../../query/plan/plan.js";
import { FIELD_OPERANDS } from "../../query/plan/field-names.js";
import { rangeAt, textOfRows, type ScopePlan, type ScopeRows } from "../../query/plan/scope.js";
import { projectsOf, type Store, type VisibleStore } from "../../store/live/store.js";
import { ReportContexts } from "../query/report-contexts.js";
import { ScopedStore } from "./scoped-store.js";

/** What scoped queries read. */
export interface ScopeView {
  readonly store: VisibleStore;
  readonly contexts: ReportContexts;
  /** Brings the rows up to date. @throws corruption, invalid_regex */
  refresh(): Promise<void>;
  projects(): readonly string[];
  /** Whether any of the events has a metadata key. */
  hasKey(key: string): boolean;
}

/** Kept at once, however small they are. */
const VIEW_COUNT_MAX = 1_000;
/** A row with what it and queries add to memory, measured with the traffic of the benchmark: 420 bytes, 690 after three insights. */
const BYTES_PER_ROW = 700;
const EVER: Range = { fromMs: 0, toMs: LIMITS.instantMaxMs };

/** The events of the scopes that were used last, within a quarter of the memory budget. Equal scopes share one copy. */
export class Scopes {
  /** Least recently used first. */
  readonly #views = new Map<string, { readonly view: ScopeView; readonly scoped: ScopedStore }>();
  #whole: ScopeView | null = null;

  /** @param contexts of the whole store */
  constructor(
    readonly store: Store,
    readonly contexts: ReportContexts,
  ) {}

  /** The events that pass all scopes, at an instant. */
  viewOf(plans: readonly ScopePlan[], nowMs: number): ScopeView {
    const rows = plans.map((plan) => plan.rows);
    const range = rows.map((each) => rangeAt(each, nowMs)).reduce(intersection, EVER);
    const isWhole = rows.every(({ where, projects }) => where.length === 0 && projects === null) && range.fromMs === EVER.fromMs && range.toMs === EVER.toMs;
    if (isWhole) return (this.#whole ??= this.#wholeView());
    const key = `${range.fromMs} ${range.toMs} ${[...new Set(rows.map(textOfRows))].sort().join(" ")}`;
    const known = this.#views.get(key) ?? this.#made(rows.flatMap((each) => scopesOfRows(each, range)));
    this.#views.delete(key);
    this.#views.set(key, known);
    this.#evict();
    return known.view;
  }

  /** Drops all copies. Queries under way take their events anew. */
  clear(): void {
    for (const { scoped } of this.#views.values()) scoped.startAgain();
    this.#views.clear();
  }

  #made(scopes: readonly QueryScope[]) {
    const [first = EVERYTHING, ...others] = scopes;
    const scoped = new ScopedStore(this.store, this.contexts, [first, ...others], () => own.clear());
    const own = new ReportContexts(scoped, this.contexts.rates, this.contexts.rules);
    const view = {
      store: scoped,
      contexts: own,
      refresh: () => scoped.refresh(),
      projects: () => [...new Set([DEFAULT_PROJECT, ...scoped.projects])],
      hasKey: (key: string) => scoped.hasKey(key),
    };
    return { view, scoped };
  }

  #wholeView(): ScopeView {
    const { store, contexts } = this;
    const hasKey = (key: string) => store.dictionaries.knownKeyCode(key) >= 0;
    return { store, contexts, refresh: () => Promise.resolve(), projects: () => projectsOf(store), hasKey };
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

function intersection(a: Range, b: Range): Range {
  const fromMs = Math.max(a.fromMs, b.fromMs);
  return { fromMs, toMs: Math.max(fromMs, Math.min(a.toMs, b.toMs)) };
}

const EVERYTHING: QueryScope = { project: null, eventName: null, userId: null, range: EVER, where: [] };

/** A row passes each of them. */
function scopesOfRows({ where, projects }: ScopeRows, range: Range): QueryScope[] {
  const own = { ...EVERYTHING, range, where };
  if (projects === null) return [own];
  const inProjects = { operand: FIELD_OPERANDS.project, test: { op: "equals", values: projects }, negated: false } as const;
  return [own, { ...EVERYTHING, range, where: [[inProjects]] }];
}
