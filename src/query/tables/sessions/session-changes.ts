/* eslint-disable @typescript-eslint/no-non-null-assertion -- parts are bounded by their number */
import { LIMITS } from "../../../core/base/limits.js";
import type { RowsOfSnapshot } from "../../../storage/derived/store-table.js";
import type { IdentityView } from "../../../identity/identity-view.js";
import { HeadView } from "../../../storage/segment/head.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { keyOfRows, NONE, type PartKey } from "./session-part.js";
import type { SessionView } from "./session-view.js";

export interface SessionSnapshot extends RowsOfSnapshot {
  readonly identities: IdentityView;
}

export interface GrownPart {
  readonly number: number;
  readonly rows: HeadView;
  readonly rowCount: number;
}

export interface SessionChanges {
  /** All rows of the snapshot by the number of their part; new heads come last. */
  readonly rowsOf: readonly Rows[];
  readonly grown: readonly GrownPart[];
  /** Actors that moved to another identity. */
  readonly moved: ReadonlySet<number>;
}

/** The actors that moved to another identity since a view; null when they are too many for one tick, or it is too long ago. Cost: their number. */
export function changedActorsSince({ taken }: SessionView, { identities }: SessionSnapshot): ReadonlySet<number> | null {
  const moved = identities.changesSince(taken.identities);
  return moved === null || moved.size > LIMITS.resessionizedCount ? null : moved;
}

/** The changes since a view whose parts all still exist; null when they are too many for one tick. Cost: the number of segments and heads. */
export function changesSince(view: SessionView, { rows: all }: SessionSnapshot, moved: ReadonlySet<number>): SessionChanges | null {
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
  return newRowCount <= LIMITS.resessionizedCount ? { rowsOf, grown, moved } : null;
}

/** Segments that replace heads and other segments of a view. */
export interface SegmentReplacement {
  readonly view: SessionView;
  /** By former number of a part: its current one, or `NONE` if it is gone. */
  readonly numbers: Uint32Array;
  readonly stayingCount: number;
  /** By ascending day. */
  readonly added: readonly Rows[];
}

/** The segments that were added and removed since a view; null when there are none. Cost: the number of segments and heads. */
export function replacementSince(view: SessionView, { rows: all }: SessionSnapshot): SegmentReplacement | null {
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
