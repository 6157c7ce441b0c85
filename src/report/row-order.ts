import { compareIds } from "../base/uuid.js";
import { ID_COLUMN } from "../schema/fields.js";
import type { Rows } from "../segment/rows.js";

/** The order of two events of one millisecond, each a row of a segment or head. */
export type CompareRows = (a: Rows, aRow: number, b: Rows, bRow: number) => number;

/**
 * Makes something that depends on the order of events. Rows of a sealed segment are in order; others go by their ids.
 * Ids are a third of a segment and hardly ever decide: they are loaded where two events of different segments turned out
 * to share their millisecond, and then it is made again.
 * @param make changes nothing outside itself
 */
export async function makeInOrder<T>(make: (compare: CompareRows) => T): Promise<T> {
  const loaded = new Set<Rows>();
  for (;;) {
    const missing = new Set<Rows>();
    const made = make((a, aRow, b, bRow) => {
      if (a === b && a.sealed) return aRow - bRow;
      for (const rows of [a, b]) if (rows.sealed && !loaded.has(rows)) missing.add(rows);
      return missing.size > 0 ? 0 : compareIds(a.ids(), aRow * 16, b.ids(), bRow * 16);
    });
    if (missing.size === 0) return made;
    for (const rows of missing) {
      await rows.load([ID_COLUMN]);
      loaded.add(rows);
    }
  }
}
