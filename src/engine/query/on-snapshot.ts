import { PendingLoads } from "../../storage/derived/pending-loads.js";
import type { Plan, ReportName, Pattern, PlanContext } from "../../query/plan/plan.js";
import type { TableSnapshot, Tables } from "../../query/tables/tables.js";
import type { Snapshot } from "../../store/live/catalog.js";
import type { VisibleStore } from "../../store/live/store.js";
import { looksUpTables, readsTables, type ReportContexts } from "./report-contexts.js";
import type { Slices } from "./slices.js";
import { DaybookError, shown } from "../../core/base/errors.js";
import { compileRegex } from "../../query/filter/regex.js";
import { planners } from "../../query/plan/planners.js";
import type { StopOptions } from "../../core/base/options.js";
import type { QueryNotice } from "./notices.js";

/** A query under way. */
export interface RunningQuery {
  readonly plan: Plan;
  readonly store: VisibleStore;
  readonly contexts: ReportContexts;
  readonly slices: Slices;
  /** Called with the number of rows read, and after loads that came first. */
  readonly onRows: (rowCount: number) => void;
  readonly onLoad: () => void;
}

/**
 * Runs a query on one snapshot of rows, links and tables. Loads what is missing, then retries on a fresh snapshot; likewise if something turns out to
 * be missing later, or if a person was erased meanwhile.
 * @param goOn returns null if something turned out to be missing
 * @throws aborted, corruption
 */
export async function onSnapshot<B, A>(
  { plan, store, contexts, slices, onRows, onLoad }: RunningQuery,
  begin: (moment: TableSnapshot, missing: PendingLoads, snapshot: Snapshot) => B | null,
  goOn: (begun: B, snapshot: Snapshot, missing: PendingLoads) => A | null | Promise<A | null>,
): Promise<A> {
  const hasTables = readsTables(plan);
  const holdsTables = looksUpTables(plan);
  const look = { pause: () => slices.yieldSometimes(), looked: onRows };
  let pinned: Tables | null = null;
  // Pinned across attempts: when memory is short, tables loaded for an attempt would be dropped and loaded again without end.
  const pin = (tables: Tables | null) => {
    if (tables === pinned) return;
    tables?.pin();
    pinned?.unpin();
    pinned = tables;
  };
  try {
    for (;;) {
      const begun = await store.whole(() => tryAt(store.snapshot()));
      if (begun !== null) return begun.answer;
    }
  } finally {
    pin(null);
  }

  /** Null to retry: something was missing and is loaded now, or a person was erased. */
  async function tryAt(snapshot: Snapshot): Promise<{ readonly answer: A } | null> {
    let loaded: Promise<void> | null = null;
    try {
      // Those of this snapshot: an erasure replaces them.
      const { tables } = contexts;
      if (hasTables) pin(tables);
      const missing = new PendingLoads();
      const moment = contexts.momentOf(plan, snapshot, look, missing);
      const begun = moment === null ? null : begin(moment, missing, snapshot);
      if (begun !== null && missing.isEmpty) {
        if (!holdsTables) pin(null);
        const answer = await goOn(await begun, snapshot, missing);
        // An erasure has removed values meanwhile: lookups of them may have failed.
        if (answer !== null && missing.isEmpty) return contexts.tables === tables ? { answer } : null;
      }
      onLoad();
      const loading = missing.load();
      loaded = loading.catch(() => undefined);
      await slices.until(loading);
      return null;
    } finally {
      // Other queries may wait for a load that goes on after this one is stopped: its files must stay.
      if (loaded === null) snapshot.release();
      else void loaded.then(() => snapshot.release());
    }
  }
}

/** What planning needs besides the input. */
export type SettleContext = Omit<PlanContext, "patterns">;

/** Plans a query for any executor: fully validated, whatever is stored. @param projects names of all projects @throws the error in the query */
export async function settle<K extends ReportName>(report: K, input: unknown, context: SettleContext, projects: () => readonly string[]): Promise<Plan<K>> {
  const patterns: Pattern[] = [];
  const plan: Plan<K> = planners[report](input, { ...context, patterns });
  await checkPatterns(patterns);
  if ("payProject" in plan && !projects().includes(plan.payProject))
    throw new DaybookError("project_not_found", `project: there is no project ${shown(plan.payProject)}`, { param: "project" });
  return plan;
}

/** Compiles the patterns that planning only measured. @throws invalid_regex for the first invalid one */
export async function checkPatterns(patterns: readonly Pattern[]): Promise<void> {
  const known = new Set<string>();
  for (const { pattern, param } of patterns) {
    if (!known.has(pattern)) await compileRegex(pattern, param);
    known.add(pattern);
  }
}

export interface QueryOptions extends StopOptions {
  /** Called for this query, like `onNotice` of `openDaybook`, which is called too. */
  readonly onNotice?: (notice: QueryNotice) => unknown;
}
