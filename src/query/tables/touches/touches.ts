/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are below the count */
import { Scratch } from "../../../core/base/scratch.js";
import { MS_PER_DAY } from "../../../core/base/time.js";
import { wideCodes } from "../../../storage/column/codes.js";
import type { EventIds, EventTime, EventPlace } from "../../../storage/derived/event-ids.js";
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";
import { StoreTable, type RowsOfSnapshot, type TableUse } from "../../../storage/derived/store-table.js";
import { ChangeLog } from "../../../identity/links.js";
import type { MemoryBudget } from "../../../storage/segment/memory-budget.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { actorOf } from "../../../storage/segment/summaries.js";
import { loadTouchFacts, touchFactsOf, type TouchFacts, type TouchMaker } from "./touch-facts.js";
import { TouchIndex } from "./touch-index.js";

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
  /** Actors, in the order in which they gained touches. */
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

  /** Brings the table up to a snapshot; false when something is missing. */
  catchUp(moment: RowsOfSnapshot, missing: PendingLoads): boolean {
    if (this.#takenRowCount === 0) this.#rowCount = moment.rows.reduce((sum, { rowCount }) => sum + rowCount, 0);
    return this.takeRows(moment, missing) && this.#index(moment, missing);
  }

  /** Positions of the touches of an actor, in order. */
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

  /** Whether two touches share their millisecond. */
  areAtOnce(a: number, b: number): boolean {
    return this.#msOfDay[a] === this.#msOfDay[b] && this.#days[a] === this.#days[b];
  }

  protected known(): null {
    return null;
  }

  protected async load(segment: Rows): Promise<TouchFacts> {
    segment.pin();
    try {
      return await loadTouchFacts(segment, this.maker);
    } finally {
      segment.unpin();
    }
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
  #index(moment: RowsOfSnapshot, missing: PendingLoads): boolean {
    if (this.#byActor.isFarBehind(this.#count, this.#indexedCount)) {
      missing.add(() => (this.#building ??= this.#buildIndex().finally(() => (this.#building = null))));
      return false;
    }
    for (let place = this.#indexedCount; place < this.#count; place += 1) {
      if (this.#actors[place] === 0) continue;
      this.#byActor.add(this.#actors[place]!, place);
      this.gained.add(this.#actors[place]!);
    }
    this.#indexedCount = this.#count;
    return this.#byActor.settle(moment, missing);
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

  /** A number that identifies the segment of a position; -1 for a head. */
  #segmentOf(place: number): number {
    const starts = this.#segmentStarts;
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle]! <= place) low = middle + 1;
      else high = middle;
    }
    return low % 2 === 1 ? low : -1;
  }

  /** Makes room, at first for as many as all rows will hold if the others are like these: growing is one long step. */
  #reserve(count: number): void {
    if (count <= this.#days.length) return;
    const expectedCount = (count / this.#takenRowCount) * this.#rowCount;
    const capacity = Math.ceil(Math.max(count, expectedCount, this.#days.length) * (1 + SPARE_SHARE));
    const grown = <A extends Int32Array | Uint32Array>(from: A, to: A): A => {
      to.set(from);
      return to;
    };
    this.#days = grown(this.#days, new Int32Array(capacity));
    this.#msOfDay = grown(this.#msOfDay, new Uint32Array(capacity));
    this.#sequences = grown(this.#sequences, new Uint32Array(capacity));
    this.#labels = grown(this.#labels, new Uint32Array(capacity));
    this.#actors = grown(this.#actors, new Uint32Array(capacity));
    this.#companies = grown(this.#companies, new Uint32Array(capacity));
  }
}
