import { sql, texts, wholes, type Sql } from "../sql/sql.js";
import type { Removal } from "./removal.js";

/** Which events go: those of these projects that happened before an instant, epoch ms. */
export type Cutoffs = ReadonlyMap<string, number>;

/** Later than whatever is stored. */
export const END_OF_TIME_MS = 2 ** 53;

/** Whether an event goes. */
export function isPast(cutoffs: Cutoffs): Sql {
  const projects = texts([...cutoffs.keys()]);
  return sql`has(${projects}, toString(project)) AND ms < arrayElement(${wholes([...cutoffs.values()])}, indexOf(${projects}, toString(project)))`;
}

/** The same, as it was noted, of events that were stored by then: what comes afterwards stays, however late a removal that broke off is finished. */
export function isNotedPast(removal: Removal): Sql {
  const cutoff = removal.valueOf("project", sql`toString(project)`, sql`'0'`);
  return sql`project IN ${removal.texts("project")} AND ms < toUInt64(${cutoff}) AND ${wasStored(removal)}`;
}

/** Whether a row was stored when the last of what goes was, as it was noted. */
export function wasStored(removal: Removal): Sql {
  return sql`storedMs <= (SELECT toUInt64(max(text)) FROM ${removal.texts("stored")})`;
}
