/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the lists */
import { dayStartMs } from "../core/base/time.js";
import { Turns } from "../core/base/turn.js";
import { codeAt } from "../storage/column/column.js";
import { firstAtLeast } from "../storage/column/search.js";
import { ID_COLUMN, TIME_COLUMN } from "../core/schema/fields.js";
import { eventKeyOf } from "../storage/segment/event-order.js";
import type { Rows } from "../storage/segment/rows.js";
import { COMPANY_COLUMNS, companyRowsOf } from "./company-rows.js";
import type { Association } from "./company-view.js";

/** Cost of finding an actor in a part, in values read. */
const VALUES_PER_ACTOR = 8;

/** Reads the company associations of actors from events. Cost: a search per actor in each segment with companies, and the actors' rows. */
export async function associationsOf(actors: ReadonlySet<number>, parts: readonly Rows[]): Promise<Map<number, Association[]>> {
  const ascending = Uint32Array.from(actors).sort();
  const lists = new Map<number, Association[]>([...actors].map((actor) => [actor, []]));
  const turns = new Turns();
  for (const rows of parts) {
    if (rows.zone("companyId") === null) continue;
    await turns.took(ascending.length * VALUES_PER_ACTOR);
    rows.pin();
    try {
      await addRows(lists, ascending, rows);
    } finally {
      rows.unpin();
    }
  }
  return lists;
}

async function addRows(lists: ReadonlyMap<number, Association[]>, actors: Uint32Array, rows: Rows): Promise<void> {
  await rows.load(COMPANY_COLUMNS);
  const known = companyRowsOf(rows);
  let place = 0;
  for (const actor of actors) {
    place = firstAtLeast(known.actors, actor, place);
    if (known.actors[place] !== actor) continue;
    await rows.load([TIME_COLUMN, ID_COLUMN, ...COMPANY_COLUMNS]);
    const list = lists.get(actor)!;
    for (let at = known.starts[place]!; at < known.starts[place + 1]!; at += 1) list.push(associationAt(rows, known.rows[at]!));
  }
}

/** The association of a row whose columns are loaded. It outlives them: its key is a copy. */
export function associationAt(rows: Rows, row: number): Association {
  return { ms: dayStartMs(rows.day) + rows.times()[row]!, key: eventKeyOf(rows, row), company: codeAt(rows.column("companyId"), row) };
}
