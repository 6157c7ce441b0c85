import type { Turns } from "../../base/turn.js";
import type { Rows } from "../../segment/rows.js";

/** Columns of some rows that work needs before it goes on: they stay until the next ones are asked for. */
export interface Need {
  readonly rows: Rows;
  readonly columns: readonly string[];
}

/** Work over rows of several segments and heads. */
export type Reading = Generator<Need, void>;

/** Does the work in turns. Cost: that of the work, and of loads. */
export async function readInTurns(reading: Reading, turns: Turns): Promise<void> {
  let pinned: Rows | null = null;
  try {
    for (const { rows, columns } of reading) {
      pinned?.unpin();
      pinned = rows;
      pinned.pin();
      await rows.load(columns);
      await turns.took(0);
    }
  } finally {
    pinned?.unpin();
  }
}

/** Does the work in this turn; false where a column is not in memory. */
export function readAtOnce(reading: Reading): boolean {
  for (const { rows, columns } of reading) {
    const loading = rows.load(columns);
    if (loading === null) continue;
    // Who asks again hears of it.
    loading.catch(() => undefined);
    return false;
  }
  return true;
}
