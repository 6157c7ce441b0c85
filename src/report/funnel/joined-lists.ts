/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the lists */
import { LIMITS } from "../../base/limits.js";
import { atOnce, piecesOf, type Steps } from "../../base/steps.js";
import { MS_PER_DAY } from "../../base/time.js";
import { radixOrder } from "../../column/radix-order.js";
import type { Subjects } from "../insights/subjects.js";
import { digestOf, type MatchList } from "./match-list.js";
import { orderOfTimes, putInOrder } from "./placed-matches.js";

/** Lists of such blocks of days are joined: times are 32 bits of ms, which are 49 days. */
const BLOCK_MS = 16 * MS_PER_DAY;
/** Subjects whose matches are copied in one step: some milliseconds. */
const RUNS_PER_STEP = 4_096;

/** The same matches in fewer lists, where there are many. Cost: some looks at each subject, and a copy. */
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
  const isInOrder = lists.every((list, at) => list.isInOrder && list.startMs !== lists[at - 1]?.startMs);
  yield;
  return yield* listOfRuns(lists, runs, isInOrder, lists.reduce((sum, { times }) => sum + times.length, 0));
}

/** The matches of subjects that stand for others, under those; null where there are none. */
export function movedList(list: MatchList, { moves, entityOf }: Pick<Subjects, "moves" | "entityOf">): MatchList | null {
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
  // Two ids of one person may have done something at once.
  const runs = { whose: Uint32Array.from(whose), lists: new Uint32Array(places.length), places: Uint32Array.from(places) };
  return atOnce(listOfRuns([list], runs, false, count));
}

/** Lists by when they begin. */
export function byTime(a: MatchList, b: MatchList): number {
  return a.startMs - b.startMs || a.firstMs - b.firstMs;
}

/** Some subjects of lists: whose their matches are now, in which list, and at which place among its subjects. */
interface Runs {
  readonly whose: Uint32Array;
  readonly lists: Uint32Array;
  readonly places: Uint32Array;
}

/** @param count of their matches */
function* listOfRuns(lists: readonly MatchList[], runs: Runs, isInOrder: boolean, count: number): Steps<MatchList> {
  const { whose } = runs;
  const order = radixOrder(placesOf(whose), whose);
  yield;
  const startMs = Math.min(...lists.map((list) => list.startMs));
  const made = {
    startMs, endMs: Math.max(...lists.map(({ endMs }) => endMs)), firstMs: Math.min(...lists.map(({ firstMs }) => firstMs)), isInOrder,
    subjects: new Uint32Array(whose.length), starts: new Uint32Array(whose.length + 1),
    times: new Uint32Array(count), masks: new Uint32Array(count), sequences: new Uint32Array(count), keys: (lists[0]?.keys ?? []).map(() => new Uint32Array(count)),
  };
  const ends: Ends = { subjectCount: 0, matchCount: 0 };
  yield* piecesOf(order.length, RUNS_PER_STEP, (from, to) => copyRuns(lists, runs, order.subarray(from, to), made, ends));
  made.starts[ends.subjectCount] = ends.matchCount;
  yield* piecesOf(ends.subjectCount, RUNS_PER_STEP, (from, to) => putInTime(made, from, to));
  const list = { ...made, subjects: made.subjects.slice(0, ends.subjectCount), starts: made.starts.slice(0, ends.subjectCount + 1) };
  return { ...list, ...digestOf(list) };
}

/** Puts the matches of some subjects in the order of their times; those of one time stay in theirs. */
function putInTime(list: Filled, from: number, to: number): void {
  const { starts, times } = list;
  for (let place = from; place < to; place += 1) {
    const [start, end] = [starts[place]!, starts[place + 1]!];
    let at = start + 1;
    while (at < end && times[at]! >= times[at - 1]!) at += 1;
    if (at >= end) continue;
    const order = orderOfTimes(times.subarray(start, end));
    for (const column of [times, list.masks, list.sequences, ...list.keys]) putInOrder(column, start, order);
  }
}

function placesOf({ length }: Uint32Array): Uint32Array {
  const places = new Uint32Array(length);
  for (let at = 0; at < length; at += 1) places[at] = at;
  return places;
}

/** A list that is being made. */
type Filled = Omit<MatchList, "firstSteps" | "longRuns">;

/** How far it is made. */
interface Ends {
  subjectCount: number;
  matchCount: number;
}

/** Copies the matches of runs, which are in order, behind those of the ones before. */
function copyRuns(lists: readonly MatchList[], { whose, lists: listOf, places }: Runs, order: Uint32Array, into: Filled, ends: Ends): void {
  let { subjectCount, matchCount } = ends;
  for (let at = 0; at < order.length; at += 1) {
    const run = order[at]!;
    if (subjectCount === 0 || into.subjects[subjectCount - 1] !== whose[run]) {
      into.subjects[subjectCount] = whose[run]!;
      into.starts[subjectCount] = matchCount;
      subjectCount += 1;
    }
    matchCount = copyRun(lists[listOf[run]!]!, places[run]!, into, matchCount);
  }
  ends.subjectCount = subjectCount;
  ends.matchCount = matchCount;
}

/** Copies the matches of a subject to a place; answers where they end. */
function copyRun(list: MatchList, place: number, into: Filled, start: number): number {
  const laterMs = list.startMs - into.startMs;
  let end = start;
  for (let at = list.starts[place]!; at < list.starts[place + 1]!; at += 1, end += 1) {
    into.times[end] = list.times[at]! + laterMs;
    into.masks[end] = list.masks[at]!;
    into.sequences[end] = list.sequences[at]!;
    for (let field = 0; field < list.keys.length; field += 1) into.keys[field]![end] = list.keys[field]![at]!;
  }
  return end;
}
