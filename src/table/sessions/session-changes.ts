/* eslint-disable @typescript-eslint/no-non-null-assertion -- parts are bounded by their number */
import { LIMITS } from "../../base/limits.js";
import type { RowsOfMoment } from "../../derived/store-table.js";
import type { IdentityView } from "../../identity/identity-view.js";
import { HeadView } from "../../segment/head.js";
import type { Rows } from "../../segment/rows.js";
import { keyOfRows, NONE, type PartKey } from "./part.js";
import type { SessionView } from "./session-view.js";

/** Rows of one moment, and who was who. */
export interface SessionMoment extends RowsOfMoment {
  readonly identities: IdentityView;
}

/** Rows of a head that came since. */
export interface GrownPart {
  readonly number: number;
  readonly rows: HeadView;
  /** Rows that were there before. */
  readonly rowCount: number;
}

/** What a moment has that a view has not. */
export interface SessionChanges {
  /** All rows of the moment by the number of their part; new heads stand last. */
  readonly rowsOf: readonly Rows[];
  readonly grown: readonly GrownPart[];
  /** Who came to another identity. */
  readonly moved: ReadonlySet<number>;
}

/** What came since a view, whose segments are those of the moment; null where it is too much for one turn. Cost: the segments and heads. */
export function changesSince(view: SessionView, { rows: all, identities }: SessionMoment): SessionChanges | null {
  const moved = identities.movedSince(view.taken.identities);
  if (moved === null || moved.size > LIMITS.restitchedCount) return null;
  const rowsOf: Rows[] = new Array<Rows>(view.parts.length);
  const grown: GrownPart[] = [];
  let [knownCount, newRowCount] = [0, view.taken.untaken.length];
  for (const rows of all) {
    const known = view.partNumbers.get(keyOfRows(rows));
    const number = known ?? rowsOf.length;
    const rowCount = known === undefined ? 0 : view.rowsOf[known]!.rowCount;
    if (known !== undefined) knownCount += 1;
    rowsOf[number] = rows;
    if (known !== undefined && rows.rowCount === rowCount) continue;
    if (!(rows instanceof HeadView) || rows.rowCount < rowCount) return null;
    newRowCount += rows.rowCount - rowCount;
    grown.push({ number, rows, rowCount });
  }
  return knownCount === view.parts.length && newRowCount <= LIMITS.restitchedCount ? { rowsOf, grown, moved } : null;
}

/** Segments in the place of heads and of other segments. */
export interface Exchange {
  /** By number of a part: the one that it has now, or `NONE` where it is gone. */
  readonly numbers: Uint32Array;
  readonly stayingCount: number;
  /** By day. */
  readonly added: readonly Rows[];
}

/** Which segments came since a view was made, and what is gone; null where none came, and nothing is. Cost: the segments and heads. */
export function exchangeSince({ parts, partNumbers }: SessionView, { rows: all }: SessionMoment): Exchange | null {
  const present = new Set<PartKey>(all.map(keyOfRows));
  const numbers = new Uint32Array(parts.length);
  let stayingCount = 0;
  for (const [number, { key }] of parts.entries()) {
    const stays = present.has(key);
    numbers[number] = stays ? stayingCount : NONE;
    if (stays) stayingCount += 1;
  }
  const added = all.filter((rows) => rows.sealed && !partNumbers.has(rows)).sort((a, b) => a.day - b.day);
  return added.length === 0 && stayingCount === parts.length ? null : { numbers, stayingCount, added };
}
