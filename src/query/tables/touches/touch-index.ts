import { LIMITS } from "../../../core/base/limits.js";
import { sortNumbers } from "../../../core/base/sort-numbers.js";
import { Turns } from "../../../core/base/turn.js";
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";
import type { RowsOfSnapshot } from "../../../storage/derived/store-table.js";
import { areOfOneLabel, firstTouchAt, touchesAtOnce } from "./touch-labels.js";
import type { Touches } from "./touches.js";

/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions and owners are bounded by the arrays */
/** Compares two positions, as those of one owner are ordered. */
export type ComparePlaces = (a: number, b: number) => number;

/** How positions are ordered. */
export interface PlaceOrder {
  /** Consistent with the order of `msOf`. */
  readonly compare: ComparePlaces;
  /** Whole milliseconds. */
  readonly msOf: (place: number) => number;
}

/** Positions by owner, each owner's in order: they begin at its start and end at the start of the next owner. */
export interface OwnerLists {
  readonly starts: Uint32Array;
  readonly places: Uint32Array;
}

const NO_PLACES = new Uint32Array(0);
const NO_LISTS: OwnerLists = { starts: new Uint32Array(1), places: NO_PLACES };

/** Cost of ordering a position, in values read: it lies anywhere in memory. */
const VALUES_PER_PLACE = 16;

/**
 * Orders positions by their owners, yielding. Owner 0 is none and left out.
 * Cost: about 10 ns a position, and a sort of the owners whose positions are out of order.
 * @param orderedCount positions below it are in order already
 */
export async function ownerListsOf(owners: Uint32Array, orderedCount: number, order: PlaceOrder): Promise<OwnerLists> {
  const turns = new Turns();
  let greatest = 0;
  for (let place = 0; place < owners.length; place += 1) if (owners[place]! > greatest) greatest = owners[place]!;
  const starts = new Uint32Array(greatest + 2);
  await turns.inPieces(
    owners.length,
    (from, to) => {
      for (let place = from; place < to; place += 1) if (owners[place] !== 0) starts[owners[place]! + 1]! += 1;
    },
    VALUES_PER_PLACE,
  );
  for (let owner = 1; owner < starts.length; owner += 1) starts[owner]! += starts[owner - 1]!;
  const ends = starts.slice();
  const places = new Uint32Array(starts.at(-1)!);
  await turns.inPieces(
    owners.length,
    (from, to) => {
      for (let place = from; place < to; place += 1) {
        const owner = owners[place]!;
        if (owner === 0) continue;
        const at = ends[owner]!;
        places[at] = place;
        ends[owner] = at + 1;
      }
    },
    VALUES_PER_PLACE,
  );
  if (orderedCount === owners.length) return { starts, places };
  const long: Uint32Array[] = [];
  await turns.inPieces(
    greatest,
    (from, to) => {
      for (let owner = from + 1; owner <= to; owner += 1) {
        const [start, end] = [starts[owner]!, starts[owner + 1]!];
        if (end - start > LIMITS.placesSortedAtOnce) long.push(places.subarray(start, end));
        else sortIfNeeded(places, start, end, orderedCount, order.compare);
      }
    },
    Math.ceil((places.length * VALUES_PER_PLACE) / greatest),
  );
  for (const ofOwner of long) await putInOrder(ofOwner, orderedCount, order, turns);
  return { starts, places };
}

function sortIfNeeded(places: Uint32Array, start: number, end: number, orderedCount: number, compare: ComparePlaces): void {
  for (let at = start + 1; at < end; at += 1)
    if (places[at]! >= orderedCount && compare(places[at - 1]!, places[at]!) > 0) {
      places.set(Array.from(places.subarray(start, end)).sort(compare), start);
      return;
    }
}

/** Orders the many positions of one owner, yielding: sorts those out of order, then merges them with the others. @param places ascending */
async function putInOrder(places: Uint32Array, orderedCount: number, order: PlaceOrder, turns: Turns): Promise<void> {
  let first = places.length;
  while (first > 0 && places[first - 1]! >= orderedCount) first -= 1;
  if (first === places.length) return;
  await sortLong(places.subarray(first), order, turns);
  const later = places.slice(first);
  let [before, last] = [first - 1, later.length - 1];
  // From the end, so that what precedes the earliest of the later ones is not read.
  await turns.inPieces(places.length, (from, to) => {
    for (let at = from; at < to && last >= 0; at += 1) {
      if (before >= 0 && order.compare(places[before]!, later[last]!) > 0) places[before + last + 1] = places[before--]!;
      else places[before + last + 1] = later[last--]!;
    }
  });
}

/** Numbers up to it are exact. */
const EXACT_SPAN = 2 ** 53;

/** Sorts by millisecond, yielding, then within each millisecond. */
async function sortLong(places: Uint32Array, { compare, msOf }: PlaceOrder, turns: Turns): Promise<void> {
  const unsorted = places.slice();
  let [first, last] = [Infinity, -Infinity];
  await turns.inPieces(places.length, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const ms = msOf(unsorted[at]!);
      if (ms < first) first = ms;
      if (ms > last) last = ms;
    }
  });
  const span = 2 ** Math.ceil(Math.log2(places.length));
  if ((last - first + 1) * span > EXACT_SPAN) return void places.set(Array.from(unsorted).sort(compare));
  const keys = new Float64Array(places.length);
  await turns.inPieces(places.length, (from, to) => {
    for (let at = from; at < to; at += 1) keys[at] = (msOf(unsorted[at]!) - first) * span + at;
  });
  const sorted = await sortNumbers(keys, turns);
  for (let start = 0, end = 0; start < sorted.length; start = end) {
    const ms = Math.floor(sorted[start]! / span);
    for (; end < sorted.length && Math.floor(sorted[end]! / span) === ms; end += 1) places[end] = unsorted[sorted[end]! - ms * span]!;
    if (end - start > 1) places.set(Array.from(places.subarray(start, end)).sort(compare), start);
  }
}

/**
 * Positions by owner (an actor or a company), each owner's in order: 4 bytes a position and 4 for every owner below the greatest. Owners that changed
 * later are stored apart, with all their positions: 8 bytes each.
 */
export class OwnerIndex {
  #lists: OwnerLists = NO_LISTS;
  /** Owners that gained or lost positions since. */
  readonly #changed = new Map<number, number[]>();

  get byteLength(): number {
    let changed = 0;
    for (const places of this.#changed.values()) changed += places.length;
    return this.#lists.starts.byteLength + this.#lists.places.byteLength + changed * 8 + this.#changed.size * 100;
  }

  replace(lists: OwnerLists): void {
    this.#changed.clear();
    this.#lists = lists;
  }

  clear(): void {
    this.replace(NO_LISTS);
  }

  /** Read-only; valid until the next change of the owner's positions. */
  of(owner: number): ArrayLike<number> {
    const changed = this.#changed.size === 0 ? undefined : this.#changed.get(owner);
    if (changed !== undefined) return changed;
    const { starts, places } = this.#lists;
    return owner + 1 < starts.length ? places.subarray(starts[owner]!, starts[owner + 1]!) : NO_PLACES;
  }

  /** Cost: the owner's positions once, then those after the new one. */
  add(owner: number, place: number, compare: ComparePlaces): void {
    const places = this.#own(owner);
    let at = places.length;
    while (at > 0 && compare(places[at - 1]!, place) > 0) at -= 1;
    places.splice(at, 0, place);
  }

  /** Cost: the owner's positions. */
  remove(owner: number, place: number): void {
    const places = this.#own(owner);
    const at = places.indexOf(place);
    if (at !== -1) places.splice(at, 1);
  }

  /** Sorts the positions of an owner again, for when ids were read since. */
  sort(owner: number, compare: ComparePlaces): void {
    this.#own(owner).sort(compare);
  }

  #own(owner: number): number[] {
    let places = this.#changed.get(owner);
    if (places === undefined) {
      places = Array.from(this.of(owner));
      this.#changed.set(owner, places);
    }
    return places;
  }
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

/** The index is rebuilt when more than this share of its touches is new: each changed owner takes some hundred bytes. */
const CHANGED_SHARE = 1 / 4;

/** The touches of each owner (an actor or a company) in order; ids decide within a millisecond. */
export class TouchIndex {
  readonly #index = new OwnerIndex();
  /** Positions that share their millisecond with others, so that ids may have to decide. */
  readonly #tied = new Set<number>();

  /** @param ownerOf 0 for none */
  constructor(
    readonly touches: Touches,
    readonly ownerOf: (place: number) => number,
  ) {}

  get byteLength(): number {
    return this.#index.byteLength;
  }

  /** Positions in the touches. Read-only; valid until the next change. */
  of(owner: number): ArrayLike<number> {
    return this.#index.of(owner);
  }

  /** Whether the index must be rebuilt to hold this many touches. @param count of all touches @param heldCount of those that it holds */
  isFarBehind(count: number, heldCount: number): boolean {
    return count - heldCount > LIMITS.placedTouchCount && count - heldCount > heldCount * CHANGED_SHARE;
  }

  /** Orders the first touches, yielding. The returned function replaces the index with them in one step. @param owners by position; 0 for none */
  async build(owners: Uint32Array): Promise<() => void> {
    const lists = await ownerListsOf(owners, this.touches.inOrderCount, { compare: this.#compare, msOf: (place) => this.touches.msOf(place) });
    return () => this.#index.replace(lists);
  }

  clear(): void {
    this.#tied.clear();
    this.#index.clear();
  }

  add(owner: number, place: number): void {
    this.#index.add(owner, place, this.#compare);
  }

  remove(owner: number, place: number): void {
    this.#index.remove(owner, place);
  }

  /** Whether the order is certain wherever labels differ; otherwise ids are missing. */
  settle({ rows }: RowsOfSnapshot, missing: PendingLoads): boolean {
    if (this.#tied.size === 0) return true;
    const { touches } = this;
    const tied = [...this.#tied];
    const unread = this.#unreadBeside(tied).map((place) => touches.eventAt(place));
    if (unread.length > 0) {
      missing.add(() => touches.ids.read(unread, rows));
      return false;
    }
    for (const owner of new Set(tied.map(this.ownerOf))) this.#index.sort(owner, this.#compare);
    this.#tied.clear();
    return true;
  }

  /** The positions whose ids must be read, among these and the others of their milliseconds. */
  #unreadBeside(places: readonly number[]): number[] {
    const { touches } = this;
    const seen = new Set<number>();
    return places.flatMap((place) => {
      if (seen.has(place)) return [];
      const list = this.of(this.ownerOf(place));
      const atOnce = touchesAtOnce(touches, list, firstTouchAt(touches, list, touches.msOf(place)));
      for (const other of atOnce) seen.add(other);
      const isKnown = areOfOneLabel(touches, atOnce) || atOnce.every((other) => touches.areOfOneSegment(place, other));
      // A touch of another label may lie between two of one label, so all must be ordered.
      return isKnown ? [] : atOnce.filter((other) => touches.ids.of(touches.eventAt(other).sequence) === null);
    });
  }

  readonly #compare = (a: number, b: number): number => {
    const { touches } = this;
    const order = touches.order(a, b);
    if (order === null || (touches.labelOf(a) !== touches.labelOf(b) && touches.areAtOnce(a, b))) this.#tied.add(a).add(b);
    return order ?? a - b;
  };
}
