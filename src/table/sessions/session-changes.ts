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

/** Who came to another identity since a view; null where these are too many for one turn, or it is too long ago to tell. Cost: their number. */
export function movedSince({ taken }: SessionView, { identities }: SessionMoment): ReadonlySet<number> | null {
  const moved = identities.movedSince(taken.identities);
  return moved === null || moved.size > LIMITS.restitchedCount ? null : moved;
}

/** What came since a view, whose parts are all there still; null where it is too much for one turn. Cost: the segments and heads. */
export function changesSince(view: SessionView, { rows: all }: SessionMoment, moved: ReadonlySet<number>): SessionChanges | null {
  const rowsOf: Rows[] = new Array<Rows>(view.parts.length);
  const grown: GrownPart[] = [];
  let newRowCount = view.taken.untaken.length;
  for (const rows of all) {
    const known = view.partNumbers.get(keyOfRows(rows));
    const number = known ?? rowsOf.length;
    const rowCount = known === undefined ? 0 : view.rowsOf[known]!.rowCount;
    rowsOf[number] = rows;
    if (known !== undefined && rows.rowCount === rowCount) continue;
    if (!(rows instanceof HeadView) || rows.rowCount < rowCount) return null;
    newRowCount += rows.rowCount - rowCount;
    grown.push({ number, rows, rowCount });
  }
  return newRowCount <= LIMITS.restitchedCount ? { rowsOf, grown, moved } : null;
}

/** Segments in the place of heads and of other segments of a view. */
export interface SegmentReplacement {
  readonly view: SessionView;
  /** By number of a part: the one that it has now, or `NONE` where it is gone. */
  readonly numbers: Uint32Array;
  readonly stayingCount: number;
  /** By day. */
  readonly added: readonly Rows[];
}

/** Which segments came since a view was made, and what is gone; null where none came, and nothing is. Cost: the segments and heads. */
export function exchangeSince(view: SessionView, { rows: all }: SessionMoment): SegmentReplacement | null {
  const { parts, partNumbers } = view;
  const present = new Set<PartKey>(all.map(keyOfRows));
  const numbers = new Uint32Array(parts.length);
  let stayingCount = 0;
  for (const [number, { key }] of parts.entries()) {
    const stays = present.has(key);
    numbers[number] = stays ? stayingCount : NONE;
    if (stays) stayingCount += 1;
  }
  const added = all.filter((rows) => rows.sealed && !partNumbers.has(rows)).sort((a, b) => a.day - b.day);
  return added.length === 0 && stayingCount === parts.length ? null : { view, numbers, stayingCount, added };
}
