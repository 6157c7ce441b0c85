/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and places are bounded by their lists */
import { LIMITS } from "../../../core/base/limits.js";
import { Scratch } from "../../../core/base/scratch.js";
import { dayStartMs, MS_PER_DAY } from "../../../core/base/time.js";
import type { Mask } from "../../answer/insights/chain.js";
import { countBits, emptyBitmap, rowsOfBits } from "../../../storage/column/bitmap.js";
import { radixOrder } from "../../../storage/column/radix-order.js";
import type { Selector } from "../../filter/predicate.js";
import { isPruned, select, selectedRows } from "../../filter/select.js";
import { orderWithin } from "../../../storage/segment/event-order.js";
import type { Rows } from "../../../storage/segment/rows.js";
import type { RowKeys } from "../insights/row-keys.js";
import type { CountedEntities } from "../insights/counted-entities.js";

/**
 * The matches in rows of some days, subject by subject: 8 bytes per match, 4 more with sequences, 9 per subject, and 4 per match and breakdown field.
 * Matches of one subject mostly ascend by time.
 */
export interface MatchList extends Digest {
  /** Origin of `times`, exclusive end of the covered time, and time of the first match; epoch ms. */
  readonly startMs: number;
  readonly endMs: number;
  readonly firstMs: number;
  /** Whether matches of one subject and millisecond are sorted by id. */
  readonly isInOrder: boolean;
  /** Whether matches of one subject ascend by time. */
  readonly isAscending: boolean;
  /** The subjects that have matches, ascending; never 0. */
  readonly subjects: Uint32Array;
  /** Start of each subject's matches, which end at the start of the next. */
  readonly starts: Uint32Array;
  /** Ms since `startMs`. */
  readonly times: Uint32Array;
  /** Bits of what each event matches; 0: nothing, but it is an event of its entity. */
  readonly masks: Uint32Array;
  /** Null if event ids are not needed. */
  readonly sequences: Uint32Array | null;
  /** By breakdown field. */
  readonly keys: readonly Uint32Array[];
}

/** How matches are read from rows. */
export interface MatchSources {
  /** The bit of each selector; 0: none. */
  readonly bits: readonly Mask[];
  readonly subjects: Pick<CountedEntities, "columns" | "name" | "subjectsOf">;
  readonly keys: readonly RowKeys[];
  /** Whether event ids may be needed. */
  readonly haveSequences: boolean;
}

export function byteLengthOfList({ subjects, longRuns, times, sequences, keys }: MatchList): number {
  return subjects.length * 9 + longRuns.length * 8 + times.length * (8 + 4 * keys.length) + (sequences?.byteLength ?? 0) + 200;
}

/** The matches of rows that have a subject. Cost: one read per row and selector that selects it. Columns must be loaded. */
export function matchListOf(rows: Rows, selectors: readonly Selector[], sources: MatchSources): MatchList {
  return Scratch.atOnce((scratch) => listOf(rows, selectors, sources, scratch));
}

function listOf(rows: Rows, selectors: readonly Selector[], { bits, subjects, keys, haveSequences }: MatchSources, scratch: Scratch): MatchList {
  const { selected, masks } = markedRows(rows, selectors, bits, scratch);
  const whose = subjects.subjectsOf(rows, selected);
  const inTime = placesInOrder(rows, selected, whose, scratch);
  const places = radixOrder(inTime, whose, (count) => scratch.take(count));
  const times = rows.times();
  const count = places.length;
  const startMs = dayStartMs(rows.day);
  const list = {
    startMs, endMs: startMs + MS_PER_DAY, firstMs: startMs + (count === 0 ? 0 : times[selected[inTime[0]!]!]!), isInOrder: true, isAscending: true,
    ...runsOf(gathered(whose, places, scratch.take(count)), scratch),
    times: new Uint32Array(count), masks: new Uint32Array(count),
    sequences: haveSequences ? gathered(gathered(rows.sequences(), selected, scratch.take(selected.length)), places, new Uint32Array(count)) : null,
    keys: keys.map((field) => gathered(field.keysOf(rows, selected), places, new Uint32Array(count))),
  };
  for (let at = 0; at < count; at += 1) {
    const place = places[at]!;
    const row = selected[place]!;
    list.times[at] = times[row]!;
    list.masks[at] = masks[place]!;
  }
  const digest = emptyDigest(list.subjects.length);
  digestRuns(list, digest, 0, list.subjects.length);
  return { ...list, ...digest };
}

/** What can be said of each subject of a list without reading its matches. */
export interface Digest {
  /** By subject: one bit each for matches of the first and second step, and `NOT_PLAIN` if a match is not of the first step alone. */
  readonly firstSteps: Uint8Array;
  /** Indexes of the subjects that have many matches, of both steps. */
  readonly longRuns: number[];
}

const NOT_PLAIN = 4;

export function emptyDigest(subjectCount: number): Digest {
  return { firstSteps: new Uint8Array(subjectCount), longRuns: [] };
}

/** Fills in the subjects `[from, to)`. Cost: one read per match. */
export function digestRuns({ starts, masks }: Pick<MatchList, "starts" | "masks">, into: Digest, from: number, to: number): void {
  for (let place = from; place < to; place += 1) {
    let all = 0;
    let isPlain = true;
    for (let at = starts[place]!; at < starts[place + 1]!; at += 1) {
      all |= masks[at]!;
      if (masks[at] !== 1) isPlain = false;
    }
    into.firstSteps[place] = (all & 3) | (isPlain ? 0 : NOT_PLAIN);
    if ((all & 3) === 3 && starts[place + 1]! - starts[place]! >= LIMITS.longRunMin) into.longRuns.push(place);
  }
}

// One shared scratch for all scans, which are synchronous and leave it zeroed.
let marks = new Uint32Array(4_096);

/** The rows that any selector selects, ascending, and the bits of these selectors. Both lie in the scratch. */
function markedRows(rows: Rows, selectors: readonly Selector[], bits: readonly Mask[], scratch: Scratch): { selected: Uint32Array; masks: Uint32Array } {
  if (marks.length < rows.rowCount) marks = new Uint32Array(2 ** Math.ceil(Math.log2(rows.rowCount)));
  const found = emptyBitmap(rows.rowCount);
  selectors.forEach((selector, place) => {
    if (isPruned(rows, selector)) return;
    mark(selectedRows(select(rows, selector)), bits[place]!, found);
  });
  const selected = scratch.take(countBits(found));
  rowsOfBits(found, selected);
  const masks = scratch.take(selected.length);
  for (let at = 0; at < selected.length; at += 1) {
    masks[at] = marks[selected[at]!]!;
    marks[selected[at]!] = 0;
  }
  return { selected, masks };
}

function mark(selected: Uint32Array, bit: Mask, found: Uint32Array): void {
  for (let at = 0; at < selected.length; at += 1) {
    const row = selected[at]!;
    marks[row]! |= bit;
    found[row >>> 5]! |= 1 << (row & 31);
  }
}

/** The distinct subjects and the start of each. @param ascending one subject per match */
function runsOf(ascending: Uint32Array, scratch: Scratch): Pick<MatchList, "subjects" | "starts"> {
  const [subjects, starts] = [scratch.take(ascending.length), scratch.take(ascending.length + 1)];
  let count = 0;
  for (let at = 0; at < ascending.length; at += 1) {
    if (at > 0 && ascending[at] === ascending[at - 1]) continue;
    subjects[count] = ascending[at]!;
    starts[count] = at;
    count += 1;
  }
  starts[count] = ascending.length;
  return { subjects: subjects.slice(0, count), starts: starts.slice(0, count + 1) };
}

/** @param into as long as `places` */
function gathered(codes: Uint32Array, places: Uint32Array, into: Uint32Array): Uint32Array {
  for (let at = 0; at < places.length; at += 1) into[at] = codes[places[at]!]!;
  return into;
}

/** Exclusive upper bound of indexes. Ms of a day are below 2^27, so both fit exactly in 53 bits. */
const ROW_SPAN = 2 ** 26;

/** Indexes of the rows that have a subject, by time and event id. They may lie in the scratch. */
function placesInOrder(rows: Rows, selected: Uint32Array, whose: Uint32Array, scratch: Scratch): Uint32Array {
  let count = 0;
  const places = scratch.take(selected.length);
  for (let place = 0; place < selected.length; place += 1) {
    places[count] = place;
    if (whose[place] !== 0) count += 1;
  }
  return rows.sealed ? places.subarray(0, count) : sortedPlaces(rows, selected, places.subarray(0, count));
}

function sortedPlaces(rows: Rows, selected: Uint32Array, places: Uint32Array): Uint32Array {
  const [times, order] = [rows.times(), orderWithin(rows)];
  const keys = Float64Array.from(places, (place) => times[selected[place]!]! * ROW_SPAN + place).sort();
  const sorted = Uint32Array.from(keys, (key) => key % ROW_SPAN);
  const timeAt = (at: number) => Math.floor(keys[at]! / ROW_SPAN);
  for (let from = 0; from < sorted.length; ) {
    let to = from + 1;
    while (to < sorted.length && timeAt(to) === timeAt(from)) to += 1;
    if (to > from + 1) sorted.subarray(from, to).sort((a, b) => order(selected[a]!, selected[b]!));
    from = to;
  }
  return sorted;
}
