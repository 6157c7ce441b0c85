/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the lists */
import { LIMITS } from "../../base/limits.js";
import { MS_PER_DAY } from "../../base/time.js";
import { radixOrder } from "../../column/radix-order.js";
import type { Subjects } from "../insights/subjects.js";
import type { MatchList } from "./match-list.js";

/** Lists of such blocks of days are joined: times are 32 bits of ms, which are 49 days. */
const BLOCK_MS = 16 * MS_PER_DAY;

/** The same matches in fewer lists, where there are many. Cost: some looks at each subject, and a copy. */
export function joinedLists(lists: readonly MatchList[]): readonly MatchList[] {
  const blocks = new Map<number, MatchList[]>();
  for (const list of lists) {
    const block = Math.floor(list.startMs / BLOCK_MS);
    const own = blocks.get(block);
    if (own === undefined) blocks.set(block, [list]);
    else own.push(list);
  }
  return [...blocks.values()].flatMap((block) => (block.length < LIMITS.joinedListCountMin ? block : joined(block)));
}

function joined(unordered: readonly MatchList[]): MatchList {
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
  return listOfRuns(lists, runs, isInOrder);
}

/** The matches of subjects that stand for others, under those; null where there are none. */
export function movedList(list: MatchList, { moves, entityOf }: Pick<Subjects, "moves" | "entityOf">): MatchList | null {
  const { subjects } = list;
  const [whose, places]: [number[], number[]] = [[], []];
  for (let place = 0; place < subjects.length; place += 1) {
    if (moves !== "all" && (subjects[place]! & 1) === 0) continue;
    const entity = entityOf(subjects[place]!);
    if (entity === subjects[place]) continue;
    whose.push(entity);
    places.push(place);
  }
  if (places.length === 0) return null;
  // Two ids of one person may have done something at once.
  return listOfRuns([list], { whose: Uint32Array.from(whose), lists: new Uint32Array(places.length), places: Uint32Array.from(places) }, false);
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

function listOfRuns(lists: readonly MatchList[], { whose, lists: listOf, places }: Runs, isInOrder: boolean): MatchList {
  const order = radixOrder(Uint32Array.from(whose.keys()), whose);
  let count = 0;
  for (let run = 0; run < whose.length; run += 1) {
    const { starts } = lists[listOf[run]!]!;
    count += starts[places[run]! + 1]! - starts[places[run]!]!;
  }
  const startMs = Math.min(...lists.map((list) => list.startMs));
  const made = {
    startMs, firstMs: Math.min(...lists.map(({ firstMs }) => firstMs)), isInOrder,
    subjects: new Uint32Array(whose.length), starts: new Uint32Array(whose.length + 1),
    times: new Uint32Array(count), masks: new Uint32Array(count), sequences: new Uint32Array(count), keys: (lists[0]?.keys ?? []).map(() => new Uint32Array(count)),
  };
  let [subjectCount, end] = [0, 0];
  for (let at = 0; at < order.length; at += 1) {
    const run = order[at]!;
    if (subjectCount === 0 || made.subjects[subjectCount - 1] !== whose[run]) {
      made.subjects[subjectCount] = whose[run]!;
      made.starts[subjectCount] = end;
      subjectCount += 1;
    }
    end = copyRun(lists[listOf[run]!]!, places[run]!, made, end);
  }
  made.starts[subjectCount] = end;
  return { ...made, subjects: made.subjects.slice(0, subjectCount), starts: made.starts.slice(0, subjectCount + 1) };
}

/** Copies the matches of a subject to a place; answers where they end. */
function copyRun(list: MatchList, place: number, into: MatchList, start: number): number {
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
