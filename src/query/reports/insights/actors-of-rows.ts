/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { denseCodes } from "../../../storage/column/column.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { actorOf } from "../../../storage/segment/actor-triples.js";

/** The actor of each selected row, in order; 0 for none. The actor columns must be loaded. */
export function actorsOfRows(rows: Rows, selected: Uint32Array): Uint32Array {
  const [users, anonymous] = [denseCodes(rows.column("userId")), denseCodes(rows.column("anonymousId"))];
  const actors = new Uint32Array(selected.length);
  for (let at = 0; at < selected.length; at += 1) {
    const row = selected[at]!;
    actors[at] = actorOf(users[row]!, anonymous[row]!);
  }
  return actors;
}
