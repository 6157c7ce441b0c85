import type { Turns } from "../../../core/base/turn.js";
import type { Rows } from "../../../storage/segment/rows.js";

/** What work needs before it continues: columns of some rows, which stay until the next ones are requested; or a yield, after this many values. */
export type Need = { readonly rows: Rows; readonly columns: readonly string[] } | number;

/** Work over rows of several segments and heads. @typeParam T its result */
export type Reading<T = void> = Generator<Need, T>;

/** Runs the work, yielding. Cost: that of the work and of the loads. */
export async function readInTurns(reading: Reading, turns: Turns): Promise<void> {
  let pinned: Rows | null = null;
  try {
    for (const need of reading) {
      if (typeof need === "number") {
        await turns.took(need);
        continue;
      }
      pinned?.unpin();
      pinned = need.rows;
      pinned.pin();
      await need.rows.load(need.columns);
    }
  } finally {
    pinned?.unpin();
  }
}

/** Runs the work without yielding; false when a column is not in memory. */
export function readAtOnce(reading: Reading): boolean {
  for (const need of reading) {
    if (typeof need === "number") continue;
    const loading = need.rows.load(need.columns);
    if (loading === null) continue;
    // A retry reports the failure.
    loading.catch(() => undefined);
    return false;
  }
  return true;
}
