import type { Turns } from "../../core/base/turn.js";
import { ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN } from "../../core/schema/fields.js";
import type { Rows } from "./rows.js";

/** Cost of reading and inflating an entry of a column, in values. */
const VALUES_PER_ENTRY = 4;

/** Loads all columns of pinned rows one by one, yielding in between. @throws corruption, and what `turns` throws */
export async function loadYielding(rows: Rows, turns: Turns): Promise<void> {
  for (const name of [TIME_COLUMN, ID_COLUMN, SEQUENCE_COLUMN, ...rows.columnNames()]) {
    const loading = rows.load([name]);
    if (loading === null) continue;
    await loading;
    await turns.took(rows.rowCount * VALUES_PER_ENTRY);
  }
}
