import { sql, texts, wholes, type Sql } from "../sql/sql.js";
import type { Removal } from "./removal.js";

/** The events to delete: for each project, those before an instant, epoch ms. */
export type Cutoffs = ReadonlyMap<string, number>;

/** Later than any stored event. */
export const END_OF_TIME_MS = 2 ** 53;

/** Whether an event is to be deleted. */
export function isPast(cutoffs: Cutoffs): Sql {
  const projects = texts([...cutoffs.keys()]);
  return sql`has(${projects}, toString(project)) AND ms < arrayElement(${wholes([...cutoffs.values()])}, indexOf(${projects}, toString(project)))`;
}

/** The same as noted, for events stored by then: later ones stay, however late an interrupted removal is finished. */
export function isNotedPast(removal: Removal): Sql {
  const cutoff = removal.valueOf("project", sql`toString(project)`, sql`'0'`);
  return sql`project IN ${removal.texts("project")} AND ms < toUInt64(${cutoff}) AND ${wasStored(removal)}`;
}

/** Whether a row was stored no later than the last row to remove, as noted. */
export function wasStored(removal: Removal): Sql {
  return sql`storedMs <= (SELECT toUInt64(max(text)) FROM ${removal.texts("stored")})`;
}
