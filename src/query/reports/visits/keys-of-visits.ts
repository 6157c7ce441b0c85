/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the visits */
import { inChunks } from "../../../core/base/in-chunks.js";
import type { Scratch } from "../../../core/base/scratch.js";
import { emptyBitmap, rowsOfBits } from "../../../storage/column/bitmap.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { whilePinned } from "../../../storage/segment/while-pinned.js";
import type { RowKeys } from "../insights/row-keys.js";
import type { Visits } from "../../answer/visits/visits.js";
import type { SessionView } from "../../tables/sessions/session-view.js";

/** Codes of the urls at which visits begin or end, 0 for none; these are the keys of `path`. Cost: about 2 ns per visit. */
export async function urlsOfVisits(
  { view, sessions }: Visits<SessionView>,
  end: "entry" | "exit",
  scratch: Scratch,
  pause: () => Promise<void>,
): Promise<Uint32Array> {
  const { entryUrls, exitUrls } = view.facts;
  const urls = end === "entry" ? entryUrls : exitUrls;
  const own = scratch.take(sessions.length);
  await inChunks(own.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) own[at] = urls[sessions[at]!]!;
  });
  return own;
}

/** Provides a key for each of some ascending rows. */
export interface VisitKeys extends Pick<RowKeys, "columns" | "keysOf"> {
  /** Whether the keys of all rows are cached, so that no column has to be loaded. */
  areKept?(rows: Rows): boolean;
}

/** The visits whose first events lie in one segment or head: indexes of the visits, and rows of the events. */
interface OfPart {
  readonly rows: Rows;
  readonly places: Uint32Array;
  readonly rowNumbers: Uint32Array;
}

/**
 * Keys of visits by the values of their first events. Several kinds of keys are read from the same rows.
 * Cost: about 10 ns per visit, and columns that are not in memory.
 */
export async function keysOfVisits(visits: Visits<SessionView>, kinds: readonly VisitKeys[], scratch: Scratch, pause: () => Promise<void>): Promise<Uint32Array[]> {
  const keys: Uint32Array[] = [];
  while (keys.length < kinds.length) keys.push(await scratch.takeTouched(visits.count, pause));
  for (const part of await partsOf(visits, scratch, pause)) {
    await pause();
    const { rows, places, rowNumbers } = ascending(part);
    await whilePinned([rows], async () => {
      await rows.load(kinds.flatMap((kind) => (kind.areKept?.(rows) === true ? [] : kind.columns)));
      for (const [kind, { keysOf }] of kinds.entries()) {
        const own = keysOf(rows, rowNumbers);
        const into = keys[kind]!;
        for (let at = 0; at < places.length; at += 1) into[places[at]!] = own[at]!;
      }
    });
  }
  return keys;
}

async function partsOf({ view, sessions }: Visits<SessionView>, scratch: Scratch, pause: () => Promise<void>): Promise<OfPart[]> {
  const { facts, rowsOf } = view;
  const { firstParts, firstRows } = facts;
  const starts = new Uint32Array(rowsOf.length + 1);
  await inChunks(sessions.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) starts[firstParts[sessions[at]!]! + 1]! += 1;
  });
  for (let part = 0; part < rowsOf.length; part += 1) starts[part + 1]! += starts[part]!;
  const next = starts.slice();
  const [places, rows] = [scratch.take(sessions.length), scratch.take(sessions.length)];
  await inChunks(sessions.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const session = sessions[at]!;
      const part = firstParts[session]!;
      const into = next[part]!;
      next[part] = into + 1;
      places[into] = at;
      rows[into] = firstRows[session]!;
    }
  });
  return rowsOf.flatMap((own, part) => {
    const [from, to] = [starts[part]!, starts[part + 1]!];
    return from === to ? [] : [{ rows: own, places: places.subarray(from, to), rowNumbers: rows.subarray(from, to) }];
  });
}

// One shared scratch: sorting is synchronous and reads only entries that it has just written.
let placeOfRow = new Uint32Array(4_096);

/** The same visits by ascending row. Each row occurs once. */
function ascending({ rows, places, rowNumbers }: OfPart): OfPart {
  let isInOrder = true;
  for (let at = 1; at < rowNumbers.length && isInOrder; at += 1) isInOrder = rowNumbers[at]! > rowNumbers[at - 1]!;
  if (isInOrder) return { rows, places, rowNumbers };
  const { rowCount } = rows;
  if (placeOfRow.length < rowCount) placeOfRow = new Uint32Array(2 ** Math.ceil(Math.log2(rowCount)));
  const found = emptyBitmap(rowCount);
  for (let at = 0; at < rowNumbers.length; at += 1) {
    const row = rowNumbers[at]!;
    placeOfRow[row] = places[at]!;
    found[row >>> 5]! |= 1 << (row & 31);
  }
  const sorted = new Uint32Array(rowNumbers.length);
  rowsOfBits(found, sorted);
  return { rows, places: sorted.map((row) => placeOfRow[row]!), rowNumbers: sorted };
}
