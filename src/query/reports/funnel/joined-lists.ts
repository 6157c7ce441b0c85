/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the lists */
import { LIMITS } from "../../../core/base/limits.js";
import { atOnce, piecesOf, type Steps } from "../../../core/base/steps.js";
import { MS_PER_DAY } from "../../../core/base/time.js";
import { radixOrder } from "../../../storage/column/radix-order.js";
import type { CountedEntities } from "../insights/counted-entities.js";
import { digestRuns, emptyDigest, type Digest, type MatchList } from "./match-list.js";

/** Length of the blocks of days whose lists are joined: times are 32 bits of ms, which cover 49 days. */
const BLOCK_MS = 16 * MS_PER_DAY;
/** Subjects whose matches are copied per step: a few milliseconds. */
const RUNS_PER_STEP = 4_096;

/** The same matches in fewer lists, if there are many. Cost: a few reads per subject, and a copy. */
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
  const runCount = lists.reduce((sum, { subjects }) => sum + subjects.length, 0);
  const runs = { whose: new Uint32Array(runCount), lists: new Uint32Array(runCount), places: new Uint32Array(runCount) };
  let end = 0;
  for (const [number, { subjects }] of lists.entries())
    for (let place = 0; place < subjects.length; place += 1, end += 1) {
      runs.whose[end] = subjects[place]!;
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

/** The matches of subjects that stand for other entities, moved to those; null if there are none. */
export function movedList(list: MatchList, { moves, entityOf }: Pick<CountedEntities, "moves" | "entityOf">): MatchList | null {
  const { subjects } = list;
  const [whose, places]: [number[], number[]] = [[], []];
  let count = 0;
  for (let place = 0; place < subjects.length; place += 1) {
    if (moves !== "all" && (subjects[place]! & 1) === 0) continue;
    const entity = entityOf(subjects[place]!);
    if (entity === subjects[place]) continue;
    whose.push(entity);
    places.push(place);
    count += list.starts[place + 1]! - list.starts[place]!;
  }
  if (places.length === 0) return null;
  const runs = { whose: Uint32Array.from(whose), lists: new Uint32Array(places.length), places: Uint32Array.from(places) };
  // Events of two ids of one person may interleave; sorting them for each query would take longer than reading them.
  return atOnce(listOfRuns([list], runs, { isInOrder: false, isAscending: false }, count));
}

/** Orders lists by start. */
export function byTime(a: MatchList, b: MatchList): number {
  return a.startMs - b.startMs || a.firstMs - b.firstMs;
}

/** Subjects of lists: the new owner of their matches, the list, and the index among its subjects. */
interface Runs {
  readonly whose: Uint32Array;
  readonly lists: Uint32Array;
  readonly places: Uint32Array;
}

/** @param count number of matches */
function* listOfRuns(lists: readonly MatchList[], runs: Runs, order: Pick<MatchList, "isInOrder" | "isAscending">, count: number): Steps<MatchList> {
  const { whose } = runs;
  const byWhom = radixOrder(placesOf(whose), whose);
  yield;
  const startMs = Math.min(...lists.map((list) => list.startMs));
  const made = {
    startMs, endMs: Math.max(...lists.map(({ endMs }) => endMs)), firstMs: Math.min(...lists.map(({ firstMs }) => firstMs)), ...order,
    subjects: new Uint32Array(whose.length), starts: new Uint32Array(whose.length + 1),
    times: new Uint32Array(count), masks: new Uint32Array(count), sequences: lists[0]?.sequences === null ? null : new Uint32Array(count), keys: (lists[0]?.keys ?? []).map(() => new Uint32Array(count)),
  };
  const ends: Ends = { subjectCount: 0, matchCount: 0 };
  yield* piecesOf(byWhom.length, RUNS_PER_STEP, (from, to) => copyRuns(lists, runs, byWhom.subarray(from, to), made, ends));
  made.starts[ends.subjectCount] = ends.matchCount;
  const list = { ...made, subjects: made.subjects.slice(0, ends.subjectCount), starts: made.starts.slice(0, ends.subjectCount + 1) };
  const digest = emptyDigest(ends.subjectCount);
  yield* piecesOf(ends.subjectCount, RUNS_PER_STEP, (from, to) => digestRuns(list, digest, from, to));
  return { ...list, ...digest };
}

function placesOf({ length }: Uint32Array): Uint32Array {
  const places = new Uint32Array(length);
  for (let at = 0; at < length; at += 1) places[at] = at;
  return places;
}

/** A list under construction. */
type Filled = Omit<MatchList, keyof Digest>;

/** The lengths filled so far. */
interface Ends {
  subjectCount: number;
  matchCount: number;
}

/** Appends the matches of runs, which are in order. */
function copyRuns(lists: readonly MatchList[], { whose, lists: listOf, places }: Runs, order: Uint32Array, into: Filled, ends: Ends): void {
  let { subjectCount, matchCount } = ends;
  for (let at = 0; at < order.length; at += 1) {
    const run = order[at]!;
    if (subjectCount === 0 || into.subjects[subjectCount - 1] !== whose[run]) {
      into.subjects[subjectCount] = whose[run]!;
      into.starts[subjectCount] = matchCount;
      subjectCount += 1;
    }
    const start = matchCount;
    matchCount = copyRun(lists[listOf[run]!]!, places[run]!, into, start);
    if (into.isAscending) mergeRun(into, into.starts[subjectCount - 1]!, start, matchCount);
  }
  ends.subjectCount = subjectCount;
  ends.matchCount = matchCount;
}

/** Copies the matches of a subject to an index; returns the end. */
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

/** Merges the matches `[middle, end)` of a subject into those from `start` on. Both parts are sorted; at equal times the earlier part comes first. */
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
