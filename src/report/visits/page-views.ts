/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the lists */
import { firstPlaces } from "../../answer/first-in-order.js";
import { combinationsOf } from "../../answer/insights/combinations.js";
import { keysThere } from "../../answer/visits/visit-list.js";
import { inPieces } from "../../base/in-pieces.js";
import { compareCodePoints } from "../../base/order.js";
import { inTurns } from "../../base/steps.js";
import { firstAtLeast } from "../../column/search.js";
import type { WebOverview } from "../../plan/insights/answers.js";
import type { Scope } from "../../plan/plan.js";
import type { Cells } from "../insights/cells.js";
import { KEY_SPAN, type RowKeys } from "../insights/row-keys.js";
import type { Subjects } from "../insights/subjects.js";

/** The page views among the events of a scope. */
export function viewsOf(scope: Scope, pageviewSlugs: readonly string[]): Scope {
  const isView = { operand: { kind: "field", field: "slug" }, test: { op: "equals", values: pageviewSlugs }, negated: false } as const;
  return { ...scope, where: scope.where.length === 0 ? [[isView]] : scope.where.map((group) => [...group, isView]) };
}

/** Where the cells of each key lie in a list: keys ascend. */
interface KeyIndex {
  readonly keys: Uint32Array;
  readonly starts: Uint32Array;
  readonly counts: Float64Array;
}

const indexes = new WeakMap<Cells, KeyIndex>();

/** Made once of each list: what is kept of spans is the same list again. */
async function indexOf(cells: Cells, pause: () => Promise<void>): Promise<KeyIndex> {
  let index = indexes.get(cells);
  if (index === undefined) indexes.set(cells, (index = await makeIndex(cells, pause)));
  return index;
}

async function makeIndex({ pairs, counts }: Cells, pause: () => Promise<void>): Promise<KeyIndex> {
  const [keys, starts, sums]: [number[], number[], number[]] = [[], [], []];
  let last = -1;
  await inPieces(pairs.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const key = Math.floor(pairs[at]! / KEY_SPAN);
      if (key !== last) {
        keys.push(key);
        starts.push(at);
        sums.push(0);
        last = key;
      }
      sums[sums.length - 1]! += counts[at]!;
    }
  });
  starts.push(pairs.length);
  return { keys: Uint32Array.from(keys), starts: Uint32Array.from(starts), counts: Float64Array.from(sums) };
}

/** A list, and where the cells of each key lie in it. */
interface Indexed {
  readonly cells: Cells;
  readonly index: KeyIndex;
}

/**
 * Pages by their visitors, then views, both descending, then value. Visitors are told apart only of pages that may be shown.
 * Cost: the keys, and the cells of those pages.
 * @param lists cells by url and actor
 */
export async function pagesOf(lists: readonly Cells[], path: RowKeys, people: Subjects, limit: number, pause: () => Promise<void>): Promise<WebOverview["pages"]> {
  const indexed: Indexed[] = [];
  for (const cells of lists) indexed.push({ cells, index: await indexOf(cells, pause) });
  const { cellCounts, viewCounts } = await countsOf(indexed, pause);
  const pages = await inTurns(combinationsOf(keysThere(cellCounts), path, false), pause);
  // Visitors are at most so many.
  const most = await inTurns(pages.sumsOf((key) => cellCounts[key]!), pause);
  const views = await inTurns(pages.sumsOf((key) => viewCounts[key]!), pause);
  const likely = await inTurns(firstPlaces(pages.count, limit, (a, b) => most[b]! - most[a]! || a - b), pause);
  const counter = new VisitorCounter(indexed, people);
  const visitors = new Uint32Array(pages.count);
  for (const place of likely) visitors[place] = await counter.countOf(pages.keysOf(place), pause);
  // Whoever has fewer than each of these is not shown.
  const least = likely.length < limit ? 0 : Math.min(...likely.map((place) => visitors[place]!));
  const told: number[] = [...likely];
  for (const place of likely) most[place] = -1;
  for (let place = 0; place < pages.count; place += 1) {
    if (place % PAGES_PER_PAUSE === 0) await pause();
    if (most[place]! < least || most[place]! < 0) continue;
    visitors[place] = most[place] === 1 ? counter.countOfOne(pages.keysOf(place)) : await counter.countOf(pages.keysOf(place), pause);
    told.push(place);
  }
  const valueOf = (at: number) => pages.valuesOf(told[at]!)[0]!;
  const descending = (a: number, b: number) => visitors[told[b]!]! - visitors[told[a]!]! || views[told[b]!]! - views[told[a]!]! || compareCodePoints(valueOf(a), valueOf(b));
  const shown = await inTurns(firstPlaces(told.length, limit, descending), pause);
  return shown.map((at) => ({ value: valueOf(at), visitors: visitors[told[at]!]!, views: views[told[at]!]! }));
}

/** Pages that are looked at between two turns. */
const PAGES_PER_PAUSE = 256;

/** By key: its cells, and the events that they have. */
async function countsOf(lists: readonly Indexed[], pause: () => Promise<void>): Promise<{ readonly cellCounts: Uint32Array; readonly viewCounts: Float64Array }> {
  const keyEnd = Math.max(0, ...lists.map(({ index }) => (index.keys.at(-1) ?? -1) + 1));
  const [cellCounts, viewCounts] = [new Uint32Array(keyEnd), new Float64Array(keyEnd)];
  for (const { index: { keys, starts, counts } } of lists)
    await inPieces(keys.length, pause, (from, to) => {
      for (let at = from; at < to; at += 1) {
        cellCounts[keys[at]!]! += starts[at + 1]! - starts[at]!;
        viewCounts[keys[at]!]! += counts[at]!;
      }
    });
  return { cellCounts, viewCounts };
}

/** Counts the identities of cells. 4 bytes for each that there may be. */
class VisitorCounter {
  readonly #stamps: Uint32Array;
  #stamp = 0;

  constructor(
    readonly lists: readonly Indexed[],
    readonly people: Subjects,
  ) {
    this.#stamps = new Uint32Array(people.end);
  }

  async countOf(keys: Float64Array, pause: () => Promise<void>): Promise<number> {
    this.#stamp += 1;
    let count = 0;
    for (const key of keys)
      for (const list of this.lists) {
        count += this.#countIn(list, key);
        await pause();
      }
    return count;
  }

  /** The same of a few cells. */
  countOfOne(keys: Float64Array): number {
    this.#stamp += 1;
    let count = 0;
    for (const key of keys) for (const list of this.lists) count += this.#countIn(list, key);
    return count;
  }

  #countIn({ cells: { pairs }, index: { keys, starts } }: Indexed, key: number): number {
    const place = firstAtLeast(keys, key);
    if (keys[place] !== key) return 0;
    const [stamps, stamp, { people }] = [this.#stamps, this.#stamp, this];
    let count = 0;
    for (let at = starts[place]!; at < starts[place + 1]!; at += 1) {
      const actor = pairs[at]! % KEY_SPAN;
      if (actor === 0) continue;
      const identity = people.entityOf(actor);
      if (stamps[identity] === stamp) continue;
      stamps[identity] = stamp;
      count += 1;
    }
    return count;
  }
}
