/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { LIMITS } from "../../../core/base/limits.js";
import { Scratch } from "../../../core/base/scratch.js";
import { dayStartMs, MS_PER_DAY } from "../../../core/base/time.js";
import type { Mask } from "../../answer/insights/chains.js";
import { countBits, emptyBitmap, rowsOfBits } from "../../../storage/column/bitmap.js";
import { radixOrder } from "../../../storage/column/radix-order.js";
import { isPruned, select, selectedRows, type Selector } from "../../filter/select.js";
import { orderWithin } from "../../../storage/segment/event-order.js";
import type { Rows } from "../../../storage/segment/rows.js";
import type { RowKeys } from "../insights/row-keys.js";
import type { CountedEntities } from "../insights/counted-entities.js";
import { runAtOnce, piecesOf, type Steps } from "../../../core/base/yield.js";

/**
 * The matches in rows of some days, key by key: 8 bytes per match, 4 more with sequences, 4 for each breakdown field, and 12 per entity key.
 * Matches of one entity key mostly ascend by time.
 */
export interface MatchList {
  /** Origin of `times`, exclusive end of the covered time, and time of the first match; epoch ms. */
  readonly startMs: number;
  readonly endMs: number;
  readonly firstMs: number;
  /** Whether matches of one entity key and millisecond are sorted by id. */
  readonly isInOrder: boolean;
  /** Whether matches of one entity key ascend by time. */
  readonly isAscending: boolean;
  /** The entity keys that have matches, ascending; never 0. */
  readonly entityKeys: Uint32Array;
  /** Start of each entity key's matches, which end at the start of the next. */
  readonly starts: Uint32Array;
  /** Ms since `startMs`. */
  readonly times: Uint32Array;
  /** Bits of what each event matches; 0: nothing, but it is an event of its entity. */
  readonly masks: Uint32Array;
  /** By entity key: the bits of all its matches. */
  readonly steps: Uint32Array;
  /** Null if event ids are not needed. */
  readonly sequences: Uint32Array | null;
  /** By breakdown field. */
  readonly keys: readonly Uint32Array[];
}

/** How matches are read from rows. */
export interface MatchSources {
  /** The bit of each selector; 0: none. */
  readonly bits: readonly Mask[];
  readonly counted: Pick<CountedEntities, "columns" | "name" | "entityKeysOf">;
  readonly keys: readonly RowKeys[];
  /** Whether event ids may be needed. */
  readonly haveSequences: boolean;
}

export function byteLengthOfList({ entityKeys, times, sequences, keys }: MatchList): number {
  return entityKeys.length * 12 + times.length * (8 + 4 * keys.length) + (sequences?.byteLength ?? 0) + 200;
}

/** The matches of rows that have an entity key. Cost: one read per row and selector that selects it. Columns must be loaded. */
export function matchListOf(rows: Rows, selectors: readonly Selector[], sources: MatchSources): MatchList {
  return Scratch.atOnce((scratch) => listOf(rows, selectors, sources, scratch));
}

function listOf(rows: Rows, selectors: readonly Selector[], { bits, counted, keys, haveSequences }: MatchSources, scratch: Scratch): MatchList {
  const { selected, masks } = markedRows(rows, selectors, bits, scratch);
  const owners = counted.entityKeysOf(rows, selected);
  const inTime = placesInOrder(rows, selected, owners, scratch);
  const places = radixOrder(inTime, owners, (count) => scratch.take(count));
  const times = rows.times();
  const count = places.length;
  const startMs = dayStartMs(rows.day);
  const runs = runsOf(gathered(owners, places, scratch.take(count)), scratch);
  const list: MatchList = {
    startMs, endMs: startMs + MS_PER_DAY, firstMs: startMs + (count === 0 ? 0 : times[selected[inTime[0]!]!]!), isInOrder: true, isAscending: true,
    ...runs, steps: new Uint32Array(runs.entityKeys.length),
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
  uniteSteps(list, list.steps, 0, list.entityKeys.length);
  return list;
}

/** The steps of all matches of each entity key in `[from, to)`. Cost: one read per match. */
function uniteSteps({ starts, masks }: Pick<MatchList, "starts" | "masks">, into: Uint32Array, from: number, to: number): void {
  for (let place = from; place < to; place += 1) {
    let all = 0;
    for (let at = starts[place]!; at < starts[place + 1]!; at += 1) all |= masks[at]!;
    into[place] = all;
  }
}

// Shared by all scans, which are synchronous and leave it zeroed.
let marks = new Uint32Array(4_096);

/** The rows that any selector selects, ascending, and the bits of these selectors. Both arrays come from `scratch`. */
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

/** The distinct entity keys and the start of each. @param ascending one entity key per match */
function runsOf(ascending: Uint32Array, scratch: Scratch): Pick<MatchList, "entityKeys" | "starts"> {
  const [entityKeys, starts] = [scratch.take(ascending.length), scratch.take(ascending.length + 1)];
  let count = 0;
  for (let at = 0; at < ascending.length; at += 1) {
    if (at > 0 && ascending[at] === ascending[at - 1]) continue;
    entityKeys[count] = ascending[at]!;
    starts[count] = at;
    count += 1;
  }
  starts[count] = ascending.length;
  return { entityKeys: entityKeys.slice(0, count), starts: starts.slice(0, count + 1) };
}

/** @param into as long as `places` */
function gathered(codes: Uint32Array, places: Uint32Array, into: Uint32Array): Uint32Array {
  for (let at = 0; at < places.length; at += 1) into[at] = codes[places[at]!]!;
  return into;
}

/** Exclusive upper bound of indexes. Ms of a day are below 2^27, so both fit exactly in 53 bits. */
const ROW_SPAN = 2 ** 26;

/** Indexes of the rows that have an entity key, by time and event id. They may lie in the scratch. */
function placesInOrder(rows: Rows, selected: Uint32Array, owners: Uint32Array, scratch: Scratch): Uint32Array {
  let count = 0;
  const places = scratch.take(selected.length);
  for (let place = 0; place < selected.length; place += 1) {
    places[count] = place;
    if (owners[place] !== 0) count += 1;
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

/** Length of the blocks of days whose lists are joined: times are 32 bits of ms, which cover 49 days. */
const BLOCK_MS = 16 * MS_PER_DAY;
/** Entity keys whose matches are copied per step: a few milliseconds. */
const RUNS_PER_STEP = 4_096;

/** The same matches in fewer lists, if there are many. Cost: a few reads per entity key, and a copy. */
export function* joinedLists(lists: readonly MatchList[]): Steps<readonly MatchList[]> {
  const blocks = new Map<number, MatchList[]>();
  for (const list of lists) {
    const block = Math.floor(list.startMs / BLOCK_MS);
    const own = blocks.get(block);
    if (own === undefined) blocks.set(block, [list]);
    else own.push(list);
  }
  const found: MatchList[] = [];
  for (const block of blocks.values())
    if (block.length < LIMITS.joinedListCountMin) found.push(...block);
    else found.push(yield* joined(block));
  return found;
}

function* joined(unordered: readonly MatchList[]): Steps<MatchList> {
  const lists = [...unordered].sort(byTime);
  const runCount = lists.reduce((sum, { entityKeys }) => sum + entityKeys.length, 0);
  const runs = { owners: new Uint32Array(runCount), lists: new Uint32Array(runCount), places: new Uint32Array(runCount) };
  let end = 0;
  for (const [number, { entityKeys }] of lists.entries())
    for (let place = 0; place < entityKeys.length; place += 1, end += 1) {
      runs.owners[end] = entityKeys[place]!;
      runs.lists[end] = number;
      runs.places[end] = place;
    }
  const count = lists.reduce((sum, { times }) => sum + times.length, 0);
  yield;
  return yield* listOfRuns(lists, runs, { isInOrder: areInOrder(lists), isAscending: true }, count);
}

/** Whether each list is in order and starts after the lists before it end. @param lists sorted by start */
function areInOrder(lists: readonly MatchList[]): boolean {
  let endMs = -Infinity;
  for (const list of lists) {
    if (!list.isInOrder || list.startMs < endMs) return false;
    endMs = Math.max(endMs, list.endMs);
  }
  return true;
}

/** Matches whose actor now belongs to another identity, under that identity; null if there are none. */
export function movedList(list: MatchList, { moved, entityOf }: Pick<CountedEntities, "moved" | "entityOf">): MatchList | null {
  const { entityKeys } = list;
  const [owners, places]: [number[], number[]] = [[], []];
  let count = 0;
  for (let place = 0; place < entityKeys.length; place += 1) {
    if (moved !== "all" && (entityKeys[place]! & 1) === 0) continue;
    const entity = entityOf(entityKeys[place]!);
    if (entity === entityKeys[place]) continue;
    owners.push(entity);
    places.push(place);
    count += list.starts[place + 1]! - list.starts[place]!;
  }
  if (places.length === 0) return null;
  const runs = { owners: Uint32Array.from(owners), lists: new Uint32Array(places.length), places: Uint32Array.from(places) };
  // Events of two ids of one person may interleave; sorting them for each query would take longer than reading them.
  return runAtOnce(listOfRuns([list], runs, { isInOrder: false, isAscending: false }, count));
}

/** Orders lists by start. */
export function byTime(a: MatchList, b: MatchList): number {
  return a.startMs - b.startMs || a.firstMs - b.firstMs;
}

/** Entity keys of lists: the new owner of their matches, the list, and the index among its keys. */
interface Runs {
  readonly owners: Uint32Array;
  readonly lists: Uint32Array;
  readonly places: Uint32Array;
}

/** @param count number of matches */
function* listOfRuns(lists: readonly MatchList[], runs: Runs, order: Pick<MatchList, "isInOrder" | "isAscending">, count: number): Steps<MatchList> {
  const { owners } = runs;
  const byOwner = radixOrder(placesOf(owners), owners);
  yield;
  const startMs = Math.min(...lists.map((list) => list.startMs));
  const made = {
    startMs, endMs: Math.max(...lists.map(({ endMs }) => endMs)), firstMs: Math.min(...lists.map(({ firstMs }) => firstMs)), ...order,
    entityKeys: new Uint32Array(owners.length), starts: new Uint32Array(owners.length + 1),
    times: new Uint32Array(count), masks: new Uint32Array(count), sequences: lists[0]?.sequences === null ? null : new Uint32Array(count), keys: (lists[0]?.keys ?? []).map(() => new Uint32Array(count)),
  };
  const ends: Ends = { entityKeyCount: 0, matchCount: 0 };
  yield* piecesOf(byOwner.length, RUNS_PER_STEP, (from, to) => copyRuns(lists, runs, byOwner.subarray(from, to), made, ends));
  made.starts[ends.entityKeyCount] = ends.matchCount;
  const list = { ...made, entityKeys: made.entityKeys.slice(0, ends.entityKeyCount), starts: made.starts.slice(0, ends.entityKeyCount + 1) };
  const steps = new Uint32Array(ends.entityKeyCount);
  yield* piecesOf(ends.entityKeyCount, RUNS_PER_STEP, (from, to) => uniteSteps(list, steps, from, to));
  return { ...list, steps };
}

function placesOf({ length }: Uint32Array): Uint32Array {
  const places = new Uint32Array(length);
  for (let at = 0; at < length; at += 1) places[at] = at;
  return places;
}

/** A list under construction. */
type Filled = Omit<MatchList, "steps">;

/** The lengths filled so far. */
interface Ends {
  entityKeyCount: number;
  matchCount: number;
}

/** Appends the matches of runs, which are in order. */
function copyRuns(lists: readonly MatchList[], { owners, lists: listOf, places }: Runs, order: Uint32Array, into: Filled, ends: Ends): void {
  let { entityKeyCount, matchCount } = ends;
  for (let at = 0; at < order.length; at += 1) {
    const run = order[at]!;
    if (entityKeyCount === 0 || into.entityKeys[entityKeyCount - 1] !== owners[run]) {
      into.entityKeys[entityKeyCount] = owners[run]!;
      into.starts[entityKeyCount] = matchCount;
      entityKeyCount += 1;
    }
    const start = matchCount;
    matchCount = copyRun(lists[listOf[run]!]!, places[run]!, into, start);
    if (into.isAscending) mergeRun(into, into.starts[entityKeyCount - 1]!, start, matchCount);
  }
  ends.entityKeyCount = entityKeyCount;
  ends.matchCount = matchCount;
}

/** Copies the matches of an entity key to an index; returns the end. */
function copyRun(list: MatchList, place: number, into: Filled, start: number): number {
  const laterMs = list.startMs - into.startMs;
  let end = start;
  for (let at = list.starts[place]!; at < list.starts[place + 1]!; at += 1, end += 1) {
    into.times[end] = list.times[at]! + laterMs;
    into.masks[end] = list.masks[at]!;
    if (into.sequences !== null) into.sequences[end] = list.sequences![at]!;
    for (let field = 0; field < list.keys.length; field += 1) into.keys[field]![end] = list.keys[field]![at]!;
  }
  return end;
}

/** Merges the matches `[middle, end)` of a key into those from `start` on. Both parts are sorted; at equal times the earlier part comes first. */
function mergeRun({ times, masks, sequences, keys }: Filled, start: number, middle: number, end: number): void {
  if (middle === start || middle === end || times[middle]! >= times[middle - 1]!) return;
  let from = middle - 1;
  while (from > start && times[from - 1]! > times[middle]!) from -= 1;
  const columns = [times, masks, ...(sequences === null ? [] : [sequences]), ...keys];
  const earlier = columns.map((column) => column.slice(from, middle));
  const earlierTimes = earlier[0]!;
  for (let at = from, left = 0, right = middle; left < earlierTimes.length; at += 1) {
    const isRight = right < end && times[right]! < earlierTimes[left]!;
    for (let column = 0; column < columns.length; column += 1) columns[column]![at] = isRight ? columns[column]![right]! : earlier[column]![left]!;
    if (isRight) right += 1;
    else left += 1;
  }
}
