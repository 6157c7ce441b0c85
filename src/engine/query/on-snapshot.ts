import { PendingLoads } from "../../storage/derived/pending-loads.js";
import type { Pattern, PlanContext } from "../../query/plan/plan.js";
import type { Plan, ReportName } from "../../query/queries.js";
import { reports } from "../../query/reports/reports.js";
import type { TableSnapshot, Tables } from "../../query/tables/tables.js";
import type { Snapshot } from "../../store/live/catalog.js";
import { looksUpTables, readsTables, type QueryExecution } from "./report-contexts.js";
import type { Store } from "../../store/live/store.js";
import { DaybookError, shown } from "../../core/base/errors.js";
import { compileRegex } from "../../query/filter/regex.js";

/**
 * Runs a query on the current store or, if its plan names a sequence, on the store as of that sequence.
 * @param run must read nothing else
 * @throws invalid_parameter (the store has not reached the sequence), and what `run` throws
 */
export async function asOfPlan<A>(plan: Plan, store: Store, present: QueryExecution, run: (execution: QueryExecution) => Promise<A>): Promise<A> {
  const sequence = "asOf" in plan ? plan.asOf : null;
  if (sequence === null || sequence === "latest") return await run(present);
  // Lazy: only insights can be run as of a sequence.
  const { runAsOf } = await import("./insights.js");
  for (;;) {
    const { tables } = present.contexts;
    const answer = await runAsOf(sequence, store, present, run);
    // An answer must not include a person who was erased meanwhile.
    if (present.contexts.tables === tables) return answer;
  }
}

/**
 * Runs a query on one snapshot of rows, links and tables. Loads what is missing, then retries on a fresh snapshot; likewise if something turns out to
 * be missing later, or if a person was erased meanwhile.
 * @param finish returns null if something turned out to be missing
 * @throws aborted, corruption
 */
export async function onSnapshot<B, A>(
  plan: Plan,
  { store, contexts, slices, stats }: QueryExecution,
  begin: (moment: TableSnapshot, missing: PendingLoads, snapshot: Snapshot) => B | null,
  finish: (begun: B, snapshot: Snapshot, missing: PendingLoads) => A | null | Promise<A | null>,
): Promise<A> {
  const hasTables = readsTables(plan);
  const holdsTables = looksUpTables(plan);
  const look = { pause: () => slices.yieldSometimes(), looked: (rowCount: number) => void (stats.rowCount += rowCount) };
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
      const begun = await store.betweenCommits(() => tryAt(store.snapshot()));
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
        const answer = await finish(await begun, snapshot, missing);
        // An erasure has removed values meanwhile: lookups of them may have failed.
        if (answer !== null && missing.isEmpty) return contexts.tables === tables ? { answer } : null;
      }
      stats.loadCount += 1;
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
export type PlanningContext = Omit<PlanContext, "patterns">;

/** Plans a query for any executor: fully validated, whatever is stored. @param projects names of all projects @throws the error in the query */
export async function planQuery<K extends ReportName>(report: K, input: unknown, context: PlanningContext, projects: () => readonly string[]): Promise<Plan<K>> {
  const patterns: Pattern[] = [];
  // The cast: the compiler does not pair a generic name with its planner.
  const plan = reports[report].plan(input, { ...context, patterns }) as Plan<K>;
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
