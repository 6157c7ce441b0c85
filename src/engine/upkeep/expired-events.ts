import { compareCodePoints } from "../../core/base/order.js";
import { dayOf, isoOfDay } from "../../core/base/time.js";
import { denseCodes } from "../../storage/column/column.js";
import type { Store } from "../../store/live/store.js";
import { rowsToDelete, type DeletionRule } from "../../store/upkeep/delete-rows.js";
import type { TimeToLivePreview } from "./time-to-live.js";

/** Counts what would be deleted, by project. Cost: one pass over the days that may have any. */
export async function expiredEvents(store: Store, doomed: DeletionRule): Promise<TimeToLivePreview> {
  const found = new Map<number, { events: number; readonly days: Set<number> }>();
  const snapshot = store.snapshot();
  try {
    for (const rows of snapshot.rows) {
      rows.pin();
      try {
        const gone = await rowsToDelete(rows, doomed);
        if (gone.length === 0) continue;
        const codes = denseCodes(rows.column("project"));
        for (const row of gone) {
          const project = codes[row] ?? 0;
          const known = found.get(project) ?? { events: 0, days: new Set() };
          known.events += 1;
          known.days.add(rows.day);
          found.set(project, known);
        }
      } finally {
        rows.unpin();
      }
    }
  } finally {
    snapshot.release();
  }
  const names = store.dictionaries.named("project");
  const projects = [...found].map(([code, { events, days }]) => ({
    project: names.valueOf(code),
    keptFrom: isoOfDay(dayOf(doomed.beforeMs(code))).slice(0, 10),
    events,
    days: days.size,
  }));
  return {
    events: projects.reduce((sum, { events }) => sum + events, 0),
    days: new Set([...found.values()].flatMap(({ days }) => [...days])).size,
    projects: projects.sort((a, b) => compareCodePoints(a.project, b.project)),
  };
}
