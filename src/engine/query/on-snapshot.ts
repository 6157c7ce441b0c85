import { PendingLoads } from "../../storage/derived/pending-loads.js";
import type { Plan } from "../../query/plan/plan.js";
import type { TableSnapshot, Tables } from "../../query/tables/tables.js";
import type { Snapshot } from "../../store/live/catalog.js";
import type { VisibleStore } from "../../store/live/visible-store.js";
import { looksUpTables, readsTables, type ReportContexts } from "./report-contexts.js";
import type { Slices } from "./slices.js";

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
