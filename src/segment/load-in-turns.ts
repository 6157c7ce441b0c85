import type { Turns } from "../base/turn.js";
import { ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN } from "../schema/fields.js";
import type { Rows } from "./rows.js";

/** What reading and inflating an entry of a column costs, in looks at a value. */
const VALUES_PER_ENTRY = 4;

/** Brings all columns of some rows, which are pinned, into memory, one after the other. @throws corruption, and what a turn throws */
export async function loadInTurns(rows: Rows, turns: Turns): Promise<void> {
  for (const name of [TIME_COLUMN, ID_COLUMN, SEQUENCE_COLUMN, ...rows.columnNames()]) {
    const loading = rows.load([name]);
    if (loading === null) continue;
    await loading;
    await turns.took(rows.rowCount * VALUES_PER_ENTRY);
  }
}
