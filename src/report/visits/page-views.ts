/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the lists */
import { inTurns } from "../../base/steps.js";
import { combinationsOf, type Combination } from "../../answer/insights/combinations.js";
import type { WebOverview } from "../../plan/insights/answers.js";
import type { Scope } from "../../plan/plan.js";
import type { Cells } from "../insights/cells.js";
import { KEY_SPAN, type RowKeys } from "../insights/row-keys.js";
import type { Subjects } from "../insights/subjects.js";
import { greatest } from "../../answer/visits/visit-list.js";

/** The page views among the events of a scope. */
export function viewsOf(scope: Scope, pageviewSlugs: readonly string[]): Scope {
  const isView = { operand: { kind: "field", field: "slug" }, test: { op: "equals", values: pageviewSlugs }, negated: false } as const;
  return { ...scope, where: scope.where.length === 0 ? [[isView]] : scope.where.map((group) => [...group, isView]) };
}

/** Where the cells of each key lie in a list, and how many events they have. */
interface KeyIndex {
  readonly keys: Uint32Array;
  readonly starts: Uint32Array;
  readonly counts: Float64Array;
}

const indexes = new WeakMap<Cells, KeyIndex>();

/** Made once of each list: what is kept of spans is the same list again. */
function indexOf(cells: Cells): KeyIndex {
  let index = indexes.get(cells);
  if (index === undefined) indexes.set(cells, (index = makeIndex(cells)));
  return index;
}

function makeIndex({ pairs, counts }: Cells): KeyIndex {
  const [keys, starts, sums]: [number[], number[], number[]] = [[], [], []];
  let last = -1;
  for (let at = 0; at < pairs.length; at += 1) {
    const key = Math.floor(pairs[at]! / KEY_SPAN);
    if (key !== last) {
      keys.push(key);
      starts.push(at);
      sums.push(0);
      last = key;
    }
    sums[sums.length - 1]! += counts[at]!;
  }
  return { keys: Uint32Array.from(keys), starts: Uint32Array.from([...starts, pairs.length]), counts: Float64Array.from(sums) };
}

/** Cells of one key in one list. */
interface Stretch {
  readonly cells: Cells;
  readonly from: number;
  readonly to: number;
}

/** What is known of a page before its visitors are told apart. */
interface PageViews {
  readonly page: Combination;
  readonly stretches: readonly Stretch[];
  readonly views: number;
  /** Visitors are at most so many. */
  readonly most: number;
}

/**
 * Pages by their visitors, then views, both descending, then value. Visitors are told apart only of pages that may be shown.
 * Cost: the keys, and the cells of those pages.
 * @param lists cells by url and actor
 */
export async function pagesOf(lists: readonly Cells[], path: RowKeys, people: Subjects, limit: number, pause: () => Promise<void>): Promise<WebOverview["pages"]> {
  const pages = (await pageViewsOf(lists, path, pause)).sort((a, b) => b.most - a.most);
  const [visitors, views] = [new Uint32Array(pages.length), new Uint32Array(pages.length)];
  const counter = new VisitorCounter(people);
  /** The greatest numbers of visitors, as many as are shown, ascending. */
  const most: number[] = [];
  let told = 0;
  for (; told < pages.length; told += 1) {
    const page = pages[told]!;
    if (told >= limit && page.most < most[0]!) break;
    const count = await counter.countOf(page.stretches, pause);
    visitors[told] = count;
    views[told] = page.views;
    const place = most.findIndex((known) => known >= count);
    most.splice(place < 0 ? most.length : place, 0, count);
    if (most.length > limit) most.shift();
  }
  const shown = greatest(visitors.subarray(0, told), views, (place) => pages[place]!.page.values[0]!, limit);
  return shown.map(({ place, value }) => ({ value, visitors: visitors[place]!, views: views[place]! }));
}

async function pageViewsOf(lists: readonly Cells[], path: RowKeys, pause: () => Promise<void>): Promise<PageViews[]> {
  const stretchesOf = new Map<number, Stretch[]>();
  const viewsOfKey = new Map<number, number>();
  for (const cells of lists) {
    const { keys, starts, counts } = indexOf(cells);
    for (let at = 0; at < keys.length; at += 1) {
      const key = keys[at]!;
      const stretch = { cells, from: starts[at]!, to: starts[at + 1]! };
      const known = stretchesOf.get(key);
      if (known === undefined) stretchesOf.set(key, [stretch]);
      else known.push(stretch);
      viewsOfKey.set(key, (viewsOfKey.get(key) ?? 0) + counts[at]!);
    }
    await pause();
  }
  return (await inTurns(combinationsOf(stretchesOf.keys(), path), pause)).map((page) => {
    const stretches = page.keys.flatMap((key) => stretchesOf.get(key)!);
    const views = page.keys.reduce((sum, key) => sum + viewsOfKey.get(key)!, 0);
    return { page, stretches, views, most: stretches.reduce((sum, { from, to }) => sum + to - from, 0) };
  });
}

/** Counts the identities of cells. 4 bytes for each that there may be. */
class VisitorCounter {
  readonly #stamps: Uint32Array;
  #stamp = 0;

  constructor(readonly people: Subjects) {
    this.#stamps = new Uint32Array(people.end);
  }

  async countOf(stretches: readonly Stretch[], pause: () => Promise<void>): Promise<number> {
    this.#stamp += 1;
    const { people } = this;
    const [stamps, stamp] = [this.#stamps, this.#stamp];
    let count = 0;
    for (const { cells: { pairs }, from, to } of stretches) {
      for (let at = from; at < to; at += 1) {
        const actor = pairs[at]! % KEY_SPAN;
        if (actor === 0) continue;
        const identity = people.entityOf(actor);
        if (stamps[identity] === stamp) continue;
        stamps[identity] = stamp;
        count += 1;
      }
      await pause();
    }
    return count;
  }
}
