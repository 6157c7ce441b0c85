import { parameterError } from "../../core/base/errors.js";
import { Yielder } from "../../core/base/yield.js";
import type { AnyPlan } from "../../query/plan/plan.js";
import { operandsOf } from "../../query/plan/scopes-of.js";
import type { Answer, Executor, Plan, ReportName } from "../../query/queries.js";
import type { Report, RowContext } from "../../query/reports/form/report.js";
import { reports } from "../../query/reports/reports.js";
import type { Tables } from "../../query/tables/tables.js";
import { PendingLoads } from "../../storage/derived/pending-loads.js";
import type { Snapshot } from "../../store/live/catalog.js";
import type { storeAsOf } from "../../store/live/store-as-of.js";
import type { Store, VisibleStore } from "../../store/live/store.js";
import { looksUpTables, readsTables, ReportContexts, type QueryExecution } from "./report-contexts.js";
import { newStats, scanAll, Slices, type QueryStats } from "./scan.js";

/** Lazy: most programs ask of the present alone. */
export type LoadPast = () => Promise<{ readonly storeAsOf: typeof storeAsOf }>;

/** Runs plans on the segments and heads of one store. */
export class MemoryExecutor implements Executor {
  constructor(
    readonly store: Store,
    readonly contexts: ReportContexts,
    readonly onWork: (report: ReportName, stats: QueryStats) => void,
    readonly loadPast: LoadPast,
  ) {}

  async execute<K extends ReportName>(plan: Plan<K>, signal?: Pick<AbortSignal, "aborted">): Promise<Answer<K>> {
    const present = await executionOf(plan, this.store, this.contexts, signal);
    await present.slices.yieldSometimes();
    const answer = await asOfPlan(present, this.store, this.loadPast, answerOf);
    this.onWork(plan.report, present.stats);
    return answer;
  }
}

/** Loads the report of a plan, and the code of segments if the plan names any. */
export async function executionOf<K extends ReportName>(
  plan: Plan<K>,
  store: VisibleStore,
  contexts: ReportContexts,
  signal: Pick<AbortSignal, "aborted"> | undefined,
): Promise<QueryExecution<Plan<K>, Answer<K>>> {
  // The cast: a mapped type pairs name and report, which the compiler cannot follow through a generic name.
  const report = (await reports[plan.report].load()) as Report<Plan<K>, Answer<K>>;
  const operands = operandsOf(plan).map(({ operand }) => operand);
  const namesSegments = operands.some(({ kind }) => kind === "segment");
  const PeopleSegments = namesSegments ? (await import("../../query/reports/lazy-reports.js")).PeopleSegments : null;
  return { plan, operands, report, PeopleSegments, store, contexts, slices: new Slices(signal), stats: newStats() };
}

/** Answers a query on the current store. */
export function answerOf<P extends AnyPlan, A>(execution: QueryExecution<P, A>): Promise<A> {
  const { plan, report, PeopleSegments, contexts, slices, stats } = execution;
  if ("answer" in report) return onSnapshot(execution, (moment, pending) => report.answer(plan, moment, pending), (answer) => answer);
  const begin = (context: RowContext, pending: PendingLoads, snapshot: Snapshot) => {
    const prepared = report.prepare(plan, context, pending);
    if (prepared === null || !pending.isEmpty) return null;
    const scanning = { snapshot, slices, stats, PeopleSegments };
    return { prepared, scanning, compiling: contexts.compile(prepared.passes, context, scanning) };
  };
  return onSnapshot(execution, begin, async ({ prepared, scanning, compiling }, _, pending) => {
    const compiled = await compiling;
    if (!pending.isEmpty) return null;
    return await scanAll(compiled, scanning, async (stateOf) => {
      await slices.yieldSometimes();
      return pending.isEmpty ? await prepared.finish(stateOf) : null;
    });
  });
}

/**
 * Runs a query on the current store or, if its plan names a sequence, on the store as of that sequence.
 * @param run must read nothing else
 * @throws invalid_parameter (the store has not reached the sequence), and what `run` throws
 */
export async function asOfPlan<P extends AnyPlan, A, R>(
  present: QueryExecution<P, A>,
  store: Store,
  loadPast: LoadPast,
  run: (execution: QueryExecution<P, A>) => Promise<R>,
): Promise<R> {
  const sequence = present.plan.asOf ?? "latest";
  if (sequence === "latest") return await run(present);
  for (;;) {
    const { tables } = present.contexts;
    const answer = await runAsOf(sequence, present, store, loadPast, run);
    // An answer must not include a person who was erased meanwhile.
    if (present.contexts.tables === tables) return answer;
  }
}

async function runAsOf<P extends AnyPlan, A, R>(
  sequence: number,
  present: QueryExecution<P, A>,
  store: Store,
  loadPast: LoadPast,
  run: (past: QueryExecution<P, A>) => Promise<R>,
): Promise<R> {
  if (sequence > store.newestSequence)
    throw parameterError("invalid_parameter", "asOf", `expected a sequence up to the newest, which is ${store.newestSequence}, got ${sequence}`);
  const { contexts, slices } = present;
  const { storeAsOf } = await loadPast();
  const past = await storeAsOf(store, sequence, new Yielder(undefined, () => slices.yieldSometimes()));
  try {
    return await run({ ...present, store: past, contexts: new ReportContexts(past, contexts.rates, contexts.rules) });
  } finally {
    past.release();
  }
}

/**
 * Runs a query on one snapshot of rows, links and tables. Loads what is missing, then retries on a fresh snapshot; likewise if something turns out to
 * be missing later, or if a person was erased meanwhile.
 * @param finish returns null if something turned out to be missing
 * @throws aborted, corruption
 */
export async function onSnapshot<B, A>(
  execution: QueryExecution,
  begin: (context: RowContext, pending: PendingLoads, snapshot: Snapshot) => B | null,
  finish: (begun: B, snapshot: Snapshot, pending: PendingLoads) => A | null | Promise<A | null>,
): Promise<A> {
  const { store, contexts, slices, stats } = execution;
  const hasTables = readsTables(execution);
  const holdsTables = looksUpTables(execution);
  const look = { pause: () => slices.yieldSometimes(), onRowsRead: (rowCount: number) => void (stats.rowCount += rowCount) };
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
      // Compared again below: an erasure replaces `contexts.tables`.
      const { tables } = contexts;
      if (hasTables) pin(tables);
      const pending = new PendingLoads();
      const context = contexts.of(execution, snapshot, look, pending);
      const begun = context === null ? null : begin(context, pending, snapshot);
      if (begun !== null && pending.isEmpty) {
        if (!holdsTables) pin(null);
        const answer = await finish(await begun, snapshot, pending);
        // An erasure has removed values meanwhile: lookups of them may have failed.
        if (answer !== null && pending.isEmpty) return contexts.tables === tables ? { answer } : null;
      }
      stats.loadCount += 1;
      const loading = pending.load();
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
