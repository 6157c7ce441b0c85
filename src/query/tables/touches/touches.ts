/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { grown, orderedBy, placesByKey, PLACES_PER_STEP, type PlacesByKey } from "../../../core/base/arrays.js";
import { Scratch } from "../../../core/base/scratch.js";
import { MS_PER_DAY } from "../../../core/base/time.js";
import { countBefore } from "../../../core/base/search.js";
import { wideCodes } from "../../../storage/column/codes.js";
import type { EventIds, EventTime, EventPlace } from "../../../storage/derived/event-ids.js";
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";
import { StoreTable, type RowsOfSnapshot } from "../../../storage/derived/store-table.js";
import { ChangeLog } from "../../../identity/links.js";
import type { MemoryBudget, TableUse } from "../../../storage/segment/memory-budget.js";
import { whilePinned, type Rows } from "../../../storage/segment/rows.js";
import { actorOf } from "../../../storage/segment/summaries.js";
import { loadTouchFacts, touchFactsOf, type TouchFacts, type TouchMaker } from "./touch-facts.js";
import { LIMITS } from "../../../core/base/limits.js";
import { runYielding, Yielder } from "../../../core/base/yield.js";

const BYTES_PER_TOUCH = 24;
/** Room for new touches, as a share of the existing ones. */
const SPARE_SHARE = 1 / 8;

/** The touches of a store, ordered by actor. Each has a permanent position: 28 bytes. */
export class Touches extends StoreTable<TouchFacts> {
  #count = 0;
  /** Positions below it are in event order: they came from one segment a day, day by day. */
  inOrderCount = 0;
  #dayInOrder = -1;
  #days = new Int32Array(64);
  #msOfDay = new Uint32Array(64);
  #sequences = new Uint32Array(64);
  #labels = new Uint32Array(64);
  #actors = new Uint32Array(64);
  #companies = new Uint32Array(64);
  /** Bounds (start, end, start, …) of the touches of each segment, whose rows are in order. */
  #segmentStarts: number[] = [];
  readonly #byActor = new TouchIndex(this, (place) => this.#actors[place]!);
  #indexedCount = 0;
  /** Rows consumed so far, and all rows of the snapshot. */
  #takenRowCount = 0;
  #rowCount = 0;
  #building: Promise<void> | null = null;
  #droppedByteLength = 0;
  readonly gained = new ChangeLog();

  constructor(
    budget: MemoryBudget,
    use: TableUse,
    readonly maker: TouchMaker,
    readonly ids: EventIds,
  ) {
    super(budget, use);
  }

  get count(): number {
    return this.#count;
  }

  /** Whether no row was consumed yet. */
  get isEmpty(): boolean {
    return this.#takenRowCount === 0;
  }

  /** Whether the table had most of the memory budget when it was dropped. */
  get isTooLarge(): boolean {
    return this.#droppedByteLength * 2 > this.budget.limitBytes;
  }

  override drop(): void {
    this.#droppedByteLength = this.byteLength;
    super.drop();
  }

  catchUp(moment: RowsOfSnapshot, pending: PendingLoads): boolean {
    if (this.#takenRowCount === 0) this.#rowCount = moment.rows.reduce((sum, { rowCount }) => sum + rowCount, 0);
    return this.takeRows(moment, pending) && this.#index(moment, pending);
  }

  placesOf(actor: number): ArrayLike<number> {
    return this.#byActor.of(actor);
  }

  actorOf(place: number): number {
    return this.#actors[place]!;
  }

  /** The company that the event names itself; 0 for none. */
  companyOf(place: number): number {
    return this.#companies[place]!;
  }

  labelOf(place: number): number {
    return this.#labels[place]!;
  }

  msOf(place: number): number {
    return this.#days[place]! * MS_PER_DAY + this.#msOfDay[place]!;
  }

  eventAt(place: number): EventPlace {
    return { sequence: this.#sequences[place]!, day: this.#days[place]! };
  }

  momentOf(place: number): EventTime {
    return { ms: this.msOf(place), sequence: this.#sequences[place]! };
  }

  /** The order of two touches; null when ids must decide that are not read. */
  order(a: number, b: number): number | null {
    const order = this.#days[a]! - this.#days[b]! || this.#msOfDay[a]! - this.#msOfDay[b]!;
    if (order !== 0 || a === b) return order;
    // Rows of a segment are in order.
    if (this.areOfOneSegment(a, b)) return a - b;
    return this.ids.compare(this.#sequences[a]!, this.#sequences[b]!);
  }

  areOfOneSegment(a: number, b: number): boolean {
    const segment = this.#segmentOf(a);
    return segment !== -1 && segment === this.#segmentOf(b);
  }

  areAtOnce(a: number, b: number): boolean {
    return this.#msOfDay[a] === this.#msOfDay[b] && this.#days[a] === this.#days[b];
  }

  protected known(): null {
    return null;
  }

  protected load(segment: Rows): Promise<TouchFacts> {
    return whilePinned([segment], () => loadTouchFacts(segment, this.maker));
  }

  protected ofHead(rows: Rows): TouchFacts {
    return touchFactsOf(rows, this.maker);
  }

  protected override ofLongHead(rows: Rows): Promise<TouchFacts> {
    return loadTouchFacts(rows, this.maker);
  }

  protected take(rows: Rows, facts: TouchFacts, isTaken: (sequence: number) => boolean): void {
    this.#takenRowCount += rows.rowCount;
    const isInOrder = rows.sealed && this.inOrderCount === this.#count && rows.day > this.#dayInOrder;
    if (rows.sealed) this.#segmentStarts.push(this.#count);
    Scratch.atOnce((scratch) => this.#add(rows, facts, isTaken(rows.firstSequence) ? isTaken : null, scratch));
    if (rows.sealed) this.#segmentStarts.push(this.#count);
    if (!isInOrder) return;
    this.inOrderCount = this.#count;
    this.#dayInOrder = rows.day;
  }

  protected reset(): void {
    this.#count = 0;
    this.inOrderCount = 0;
    this.#dayInOrder = -1;
    this.#indexedCount = 0;
    this.#takenRowCount = 0;
    this.#segmentStarts = [];
    this.#byActor.clear();
    this.gained.addAll();
  }

  protected measure(): number {
    return this.#days.length * BYTES_PER_TOUCH + this.#byActor.byteLength;
  }

  /** @param isTaken null: no row is */
  #add({ day, rowCount }: Rows, facts: TouchFacts, isTaken: ((sequence: number) => boolean) | null, scratch: Scratch): void {
    const [labels, users] = [wideCodes(facts.labels, scratch), wideCodes(facts.users, scratch)];
    const [anonymous, companies] = [wideCodes(facts.anonymous, scratch), wideCodes(facts.companies, scratch)];
    const { sequences, times } = facts;
    let count = 0;
    for (let row = 0; row < rowCount; row += 1) if (this.maker.labels.takesRevenue(labels[row]!)) count += 1;
    this.#reserve(this.#count + count);
    let place = this.#count;
    for (let row = 0; row < rowCount; row += 1) {
      if (!this.maker.labels.takesRevenue(labels[row]!) || isTaken?.(sequences[row]!) === true) continue;
      this.#days[place] = day;
      this.#msOfDay[place] = times[row]!;
      this.#sequences[place] = sequences[row]!;
      this.#labels[place] = labels[row]!;
      this.#actors[place] = actorOf(users[row]!, anonymous[row]!);
      this.#companies[place] = companies[row]!;
      place += 1;
    }
    this.#count = place;
  }

  /** Adds the new touches to the index; false when it must be rebuilt, or ids must be read first. */
  #index(moment: RowsOfSnapshot, pending: PendingLoads): boolean {
    if (this.#byActor.isFarBehind(this.#count, this.#indexedCount)) {
      pending.add(() => (this.#building ??= this.#buildIndex().finally(() => (this.#building = null))));
      return false;
    }
    for (let place = this.#indexedCount; place < this.#count; place += 1) {
      if (this.#actors[place] === 0) continue;
      this.#byActor.add(this.#actors[place]!, place);
      this.gained.add(this.#actors[place]!);
    }
    this.#indexedCount = this.#count;
    return this.#byActor.settle(moment, pending);
  }

  async #buildIndex(): Promise<void> {
    const { generation } = this;
    const count = this.#count;
    const replace = await this.#byActor.build(this.#actors.subarray(0, count));
    if (generation !== this.generation) return;
    replace();
    this.#indexedCount = count;
    this.gained.addAll();
  }

  #segmentOf(place: number): number {
    const starts = this.#segmentStarts;
    const count = countBefore(starts.length, (at) => starts[at]! <= place);
    return count % 2 === 1 ? count : -1;
  }

  /** Makes room, at first for as many as all rows will hold if the others are like these: growing is one long step. */
  #reserve(count: number): void {
    if (count <= this.#days.length) return;
    const expectedCount = (count / this.#takenRowCount) * this.#rowCount;
    const capacity = Math.ceil(Math.max(count, expectedCount, this.#days.length) * (1 + SPARE_SHARE));
    this.#days = grown(this.#days, capacity);
    this.#msOfDay = grown(this.#msOfDay, capacity);
    this.#sequences = grown(this.#sequences, capacity);
    this.#labels = grown(this.#labels, capacity);
    this.#actors = grown(this.#actors, capacity);
    this.#companies = grown(this.#companies, capacity);
  }
}

type ComparePlaces = (a: number, b: number) => number;

interface PlaceOrder {
  /** Consistent with the order of `msOf`. */
  readonly compare: ComparePlaces;
  /** Whole milliseconds. */
  readonly msOf: (place: number) => number;
}

const NO_PLACES = new Uint32Array(0);
const NO_LISTS: PlacesByKey = { starts: new Uint32Array(1), places: NO_PLACES };

const VALUES_PER_PLACE = 16;

/** Owner 0 is none and left out. Cost: 10 ns a position, and sorts of owners out of order. @param orderedCount positions below it are in order */
export async function ownerListsOf(owners: Uint32Array, orderedCount: number, order: PlaceOrder): Promise<PlacesByKey> {
  const yielder = new Yielder();
  let greatest = 0;
  for (let place = 0; place < owners.length; place += 1) if (owners[place]! > greatest) greatest = owners[place]!;
  const { starts, places } = await runYielding(placesByKey(owners, greatest + 1, 1), () => yielder.yieldAfter(PLACES_PER_STEP * VALUES_PER_PLACE));
  if (orderedCount === owners.length) return { starts, places };
  const long: Uint32Array[] = [];
  await yielder.inPieces(
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
  for (const ofOwner of long) await putInOrder(ofOwner, orderedCount, order, yielder);
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
async function putInOrder(places: Uint32Array, orderedCount: number, order: PlaceOrder, yielder: Yielder): Promise<void> {
  let first = places.length;
  while (first > 0 && places[first - 1]! >= orderedCount) first -= 1;
  if (first === places.length) return;
  const unsorted = places.slice(first);
  const sorted = await orderedBy(unsorted.length, (at) => order.msOf(unsorted[at]!), (a, b) => order.compare(unsorted[a]!, unsorted[b]!), yielder);
  const later = sorted.map((at) => unsorted[at]!);
  let [before, last] = [first - 1, later.length - 1];
  // From the end, so that what precedes the earliest of the later ones is not read.
  await yielder.inPieces(places.length, (from, to) => {
    for (let at = from; at < to && last >= 0; at += 1) {
      if (before >= 0 && order.compare(places[before]!, later[last]!) > 0) places[before + last + 1] = places[before--]!;
      else places[before + last + 1] = later[last--]!;
    }
  });
}

/** Positions by owner (an actor or a company), in order: 4 bytes each, and 4 for every owner; 8 bytes each for owners that changed since. */
export class OwnerIndex {
  #lists: PlacesByKey = NO_LISTS;
  readonly #changed = new Map<number, number[]>();

  get byteLength(): number {
    let changed = 0;
    for (const places of this.#changed.values()) changed += places.length;
    return this.#lists.starts.byteLength + this.#lists.places.byteLength + changed * 8 + this.#changed.size * 100;
  }

  replace(lists: PlacesByKey): void {
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

  remove(owner: number, place: number): void {
    const places = this.#own(owner);
    const at = places.indexOf(place);
    if (at !== -1) places.splice(at, 1);
  }

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
  settle({ rows }: RowsOfSnapshot, pending: PendingLoads): boolean {
    if (this.#tied.size === 0) return true;
    const { touches } = this;
    const tied = [...this.#tied];
    const unread = this.#unreadBeside(tied).map((place) => touches.eventAt(place));
    if (unread.length > 0) {
      pending.add(() => touches.ids.read(unread, rows));
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

/** Index of the first touch at or after a time in an ordered list of positions; the list's length for none. Cost: a binary search. */
export function firstTouchAt(touches: Touches, list: ArrayLike<number>, ms: number): number {
  return countBefore(list.length, (at) => touches.msOf(list[at]!) < ms);
}

export function touchesAtOnce(touches: Touches, list: ArrayLike<number>, at: number): number[] {
  const run: number[] = [];
  for (let next = at; next < list.length && touches.areAtOnce(list[at]!, list[next]!); next += 1) run.push(list[next]!);
  return run;
}

export function areOfOneLabel(touches: Touches, [first, ...others]: readonly number[]): boolean {
  return first === undefined || others.every((place) => touches.labelOf(place) === touches.labelOf(first));
}
