import { Missing } from "../../derived/missing.js";
import type { Plan } from "../../plan/plan.js";
import type { TableMoment, Tables } from "../../table/tables.js";
import type { Snapshot } from "../../store/live/catalog.js";
import type { VisibleStore } from "../../store/live/visible-store.js";
import { looksUpTables, readsTables, type ReportContexts } from "./report-contexts.js";
import type { Slices } from "./slices.js";

/** A question under way. */
export interface RunningQuery {
  readonly plan: Plan;
  readonly store: VisibleStore;
  readonly contexts: ReportContexts;
  readonly slices: Slices;
  /** Hears of rows that were looked at, and of loads that came first. */
  readonly onRows: (rowCount: number) => void;
  readonly onLoad: () => void;
}

/**
 * Begins in the turn of a snapshot: rows, links and tables of one moment. What is not in memory is loaded first, and then it is tried
 * with the moment of then; so it is where something turns out to be missing later, and where somebody was erased meanwhile.
 * @param goOn null where something turned out to be missing @throws aborted, corruption
 */
export async function atMoment<B, A>(
  { plan, store, contexts, slices, onRows, onLoad }: RunningQuery,
  begin: (moment: TableMoment, missing: Missing, snapshot: Snapshot) => B | null,
  goOn: (begun: B, snapshot: Snapshot, missing: Missing) => A | null | Promise<A | null>,
): Promise<A> {
  const hasTables = readsTables(plan);
  const holdsTables = looksUpTables(plan);
  const look = { pause: () => slices.yieldSometimes(), looked: onRows };
  let pinned: Tables | null = null;
  // From one try to the next: what was loaded for it would be dropped where memory is short, and loaded again, without end.
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

  /** Null where it is to be tried again: something was missing, which is loaded then, or somebody was erased. */
  async function tryAt(snapshot: Snapshot): Promise<{ readonly answer: A } | null> {
    let loaded: Promise<void> | null = null;
    try {
      // Those of this moment: an erasure puts others in their place.
      const { tables } = contexts;
      if (hasTables) pin(tables);
      const missing = new Missing();
      const moment = contexts.momentOf(plan, snapshot, look, missing);
      const begun = moment === null ? null : begin(moment, missing, snapshot);
      if (begun !== null && missing.isEmpty) {
        if (!holdsTables) pin(null);
        const answer = await goOn(await begun, snapshot, missing);
        // An erasure took values away meanwhile: who looked for one of them behind it did so in vain.
        if (answer !== null && missing.isEmpty) return contexts.tables === tables ? { answer } : null;
      }
      onLoad();
      const loading = missing.load();
      loaded = loading.catch(() => undefined);
      await slices.until(loading);
      return null;
    } finally {
      // Others may wait for a load that goes on where this question is stopped: the files that it reads must stay.
      if (loaded === null) snapshot.release();
      else void loaded.then(() => snapshot.release());
    }
  }
}
