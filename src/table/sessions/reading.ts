import type { Turns } from "../../base/turn.js";
import type { Rows } from "../../segment/rows.js";

/** What work needs before it goes on: columns of some rows, which stay until the next ones are asked for; or a turn, after so many values. */
export type Need = { readonly rows: Rows; readonly columns: readonly string[] } | number;

/** Work over rows of several segments and heads. @typeParam T what comes of it */
export type Reading<T = void> = Generator<Need, T>;

/** Does the work in turns. Cost: that of the work, and of loads. */
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

/** Does the work in this turn; false where a column is not in memory. */
export function readAtOnce(reading: Reading): boolean {
  for (const need of reading) {
    if (typeof need === "number") continue;
    const loading = need.rows.load(need.columns);
    if (loading === null) continue;
    // Who asks again hears of it.
    loading.catch(() => undefined);
    return false;
  }
  return true;
}
