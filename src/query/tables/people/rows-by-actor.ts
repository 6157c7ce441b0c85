/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows, actors and positions are bounded by their columns */
import { denseCodes } from "../../../storage/column/column.js";
import { joinLists, postingsByteLength, postingsOf, type Postings } from "../../../storage/column/postings.js";
import { firstAtLeast } from "../../../storage/column/search.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { actorOf } from "../../../storage/segment/summaries.js";

/**
 * Scans of a part that together take as long as building its lists: 1 to 4 ns a row against 100. Parts build theirs after different numbers of scans,
 * from this minimum on, so that no query waits for the lists of all of them.
 */
const LOOK_COUNT_MIN = 4;
const LOOK_COUNT_SPAN = 32;

/** Rows by actor, built once for a settled part that was scanned often. Rows without an actor are left out. */
function rowsByActor(rows: Rows): Postings | null {
  const known = rows.kept("rowsByActor", []) as Postings | null;
  if (known !== null) return known;
  const looks = rows.derive("looks for actors", () => ({ count: 0 }), () => 16);
  looks.count += 1;
  if (looks.count <= LOOK_COUNT_MIN + (rows.day % LOOK_COUNT_SPAN)) return null;
  return rows.derive("rowsByActor", () => postingsOf(actorsOf(rows)), postingsByteLength);
}

function actorsOf(rows: Rows): Uint32Array {
  const users = denseCodes(rows.column("userId"));
  const anonymous = denseCodes(rows.column("anonymousId"));
  const actors = new Uint32Array(rows.rowCount);
  for (let row = 0; row < actors.length; row += 1) actors[row] = actorOf(users[row]!, anonymous[row]!);
  return actors;
}

/**
 * Returns a test whether an actor may have rows here, by the zone maps alone. Codes are given in order of arrival, so actors that arrived later have
 * greater codes than any in an old segment.
 */
function heldBy(rows: Rows): (actor: number) => boolean {
  const zones = [rows.zone("userId"), rows.zone("anonymousId")];
  return (actor) => {
    const zone = zones[actor & 1]!;
    return zone !== null && actor >>> 1 >= zone.min && actor >>> 1 <= zone.max;
  };
}

/**
 * Row numbers of some actors, ascending. The actor columns must be loaded.
 * Cost: a read of each row, or a binary search per actor in settled rows that are scanned often.
 * @param actors ascending
 */
export function rowsOfLoaded(rows: Rows, actors: readonly number[]): Uint32Array {
  const lists = rows.settled ? rowsByActor(rows) : null;
  return lists === null ? scannedRows(rows, actors) : indexedRows(lists, actors);
}

function indexedRows({ codes: actors, starts, rows }: Postings, wanted: readonly number[]): Uint32Array {
  const lists: Uint32Array[] = [];
  let from = 0;
  for (const actor of wanted) {
    from = firstAtLeast(actors, actor, from);
    if (actors[from] === actor) lists.push(rows.subarray(starts[from]!, starts[from + 1]!));
  }
  return lists.length > FEW_LISTS ? joinLists(lists) : lists.reduce(mergeLists, NO_ROWS);
}

/** Up to this many lists are merged one by one, each at the cost of all rows. */
const FEW_LISTS = 8;

const NO_ROWS = new Uint32Array(0);

/** Merges two ascending lists without common rows. The longer one is copied in stretches. */
export function mergeLists(a: Uint32Array, b: Uint32Array): Uint32Array {
  if (a.length === 0) return b;
  const [long, short] = a.length >= b.length ? [a, b] : [b, a];
  const merged = new Uint32Array(a.length + b.length);
  let from = 0;
  let at = 0;
  for (const row of short) {
    for (; from < long.length && long[from]! < row; from += 1, at += 1) merged[at] = long[from]!;
    merged[at] = row;
    at += 1;
  }
  merged.set(long.subarray(from), at);
  return merged;
}

function scannedRows(rows: Rows, wanted: readonly number[]): Uint32Array {
  const held = wanted.filter(heldBy(rows));
  if (held.length === 0) return NO_ROWS;
  // With more actors than rows, a search per row is cheaper than building a set.
  const isWanted = held.length > rows.rowCount ? isAmong(Uint32Array.from(held)) : isIn(new Set(held));
  // A bit for each remainder rejects most rows.
  let remainders = 0;
  for (const actor of held) remainders |= 1 << (actor & 31);
  const users = denseCodes(rows.column("userId"));
  const anonymous = denseCodes(rows.column("anonymousId"));
  const found: number[] = [];
  for (let row = 0; row < rows.rowCount; row += 1) {
    const actor = actorOf(users[row]!, anonymous[row]!);
    if ((remainders >>> (actor & 31)) & 1 && isWanted(actor)) found.push(row);
  }
  return Uint32Array.from(found);
}

function isIn(set: ReadonlySet<number>): (actor: number) => boolean {
  return (actor) => set.has(actor);
}

function isAmong(ascending: Uint32Array): (actor: number) => boolean {
  return (actor) => ascending[firstAtLeast(ascending, actor)] === actor;
}
