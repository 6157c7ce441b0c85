/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { inOrder, AHEAD_COUNT } from "../../../core/base/promises.js";
import { Scratch } from "../../../core/base/scratch.js";
import { areSameParts, grouped } from "../../../core/base/arrays.js";
import { countBefore, firstAtLeast, haveCommon } from "../../../core/base/search.js";
import { SEQUENCE_COLUMN, ID_COLUMN, TIME_COLUMN } from "../../../core/schema/fields.js";
import type { ColumnOnce } from "../../../storage/segment/column-once.js";
import type { Range } from "../../plan/plan.js";
import { type Rows, whilePinned } from "../../../storage/segment/rows.js";
import { BOTH_ACTORS } from "../../../storage/segment/summaries.js";
import { BudgetedTable } from "../../../storage/segment/memory-budget.js";
import { mergeLists, readRowsOf, rowsOfLoaded } from "./seen-actors.js";
import { dayStartMs } from "../../../core/base/time.js";
import { compareEvents } from "../../../storage/segment/event-order.js";

/** An identity and its actors, ascending; the first is never 0. */
interface IdentityActors {
  readonly identity: number;
  readonly actors: readonly number[];
}

interface TimelineWork {
  readonly pause: () => Promise<void>;
  readonly onRowsRead: (rowCount: number) => void;
}

/** The rows of one identity's events in sealed segments. */
interface IdentityRows {
  readonly actors: readonly number[];
  /** An empty list for a segment without any. */
  readonly lists: ReadonlyMap<Rows, Uint32Array>;
  readonly segments: readonly Rows[];
  readonly eventCount: number;
  /** Built on first use; unused when heads have rows of the identity. */
  timeline: Timeline | null;
}

interface SnapshotRows {
  readonly segments: readonly Rows[];
  readonly heads: readonly Rows[];
}

/** Cached identities. */
const IDENTITY_COUNT = 64;
const BYTES_PER_EVENT = 16;
const BYTES_PER_SEGMENT = 120;
const NO_ROWS = new Uint32Array(0);
const ALL_TIME: Range = { fromMs: -Infinity, toMs: Infinity };

/** The rows of the identities queried last: a person's page runs several queries over the same events. 16 bytes an event, and 120 a segment. */
export class Timelines extends BudgetedTable {
  readonly #known = new Map<number, IdentityRows>();
  /** Identities of the latest queries that read only the segments they needed. */
  readonly #readOnce = new Set<number>();
  readonly #parts = new WeakMap<readonly Rows[], SnapshotRows>();

  /**
   * The events of an identity in all rows of a snapshot, in order.
   * @param upTo greatest sequence of the rows that count; null: all
   * @param needed the range that the query reads: the first query about an identity reads no other segments
   */
  async of(identity: IdentityActors, rows: readonly Rows[], upTo: number | null, look: TimelineWork, needed: Range = ALL_TIME): Promise<Timeline> {
    const { segments, heads } = this.#partsOf(rows);
    const first = segments.filter((segment) => isWithin(segment, needed));
    const isFirst = first.length < segments.length && this.#isFirst(identity.identity);
    const known = isFirst ? await readRows(identity.actors, first, look) : await this.#knownOf(identity, segments, look);
    const hits: Hit[] = [];
    const isLate = upTo !== null && rows.some((part) => part.lastSequence > upTo);
    for (const part of heads) {
      const list = rowsOfLoaded(part, identity.actors);
      look.onRowsRead(part.rowCount);
      if (list.length > 0) hits.push({ rows: part, list });
    }
    const isKnown = hits.length === 0 && !isLate;
    if (isKnown && known.timeline !== null) return known.timeline;
    for (const [segment, list] of known.lists) if (list.length > 0) hits.push({ rows: segment, list });
    const timeline = await timelineOf(isLate ? await upToSequence(hits, upTo) : hits, look.pause);
    if (isKnown) known.timeline = timeline;
    return timeline;
  }

  /** Cached by list, as a store without new rows returns the same list of rows. */
  #partsOf(rows: readonly Rows[]): SnapshotRows {
    let parts = this.#parts.get(rows);
    if (parts === undefined) {
      parts = { segments: rows.filter((part) => part.sealed), heads: rows.filter((part) => !part.sealed) };
      this.#parts.set(rows, parts);
    }
    return parts;
  }

  drop(): void {
    this.#known.clear();
    this.#readOnce.clear();
    this.byteLength = 0;
  }

  /** Whether no query asked about an identity lately. */
  #isFirst(identity: number): boolean {
    if (this.#known.has(identity) || this.#readOnce.delete(identity)) return false;
    this.#readOnce.add(identity);
    for (const oldest of this.#readOnce) {
      if (this.#readOnce.size <= IDENTITY_COUNT) break;
      this.#readOnce.delete(oldest);
    }
    return true;
  }

  async #knownOf({ identity, actors }: IdentityActors, segments: readonly Rows[], look: TimelineWork): Promise<IdentityRows> {
    const known = this.#known.get(identity);
    const present = new Set(actors);
    const former = known?.actors.every((actor) => present.has(actor)) === true ? known : null;
    const isSame = former !== null && former.actors.length === actors.length && areSameParts(former.segments, segments);
    const made = isSame ? former : await readRows(actors, segments, look, former);
    this.#remember(identity, made);
    return made;
  }

  #remember(identity: number, known: IdentityRows): void {
    this.#known.delete(identity);
    this.#known.set(identity, known);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= IDENTITY_COUNT) break;
      this.#known.delete(oldest);
    }
    let byteLength = 0;
    for (const { eventCount, segments } of this.#known.values()) byteLength += eventCount * BYTES_PER_EVENT + segments.length * BYTES_PER_SEGMENT;
    this.setByteLength(byteLength);
  }
}

/** @param former rows of some of the actors, in some of the segments */
async function readRows(actors: readonly number[], segments: readonly Rows[], { pause, onRowsRead }: TimelineWork, former: IdentityRows | null = null): Promise<IdentityRows> {
  const known = new Set(former?.actors);
  const added = actors.filter((actor) => !known.has(actor));
  const lists = new Map<Rows, Uint32Array>();
  const load = async (segment: Rows) => {
    await pause();
    const list = former?.lists.get(segment);
    if (list === undefined) return await rowsOf(segment, actors, onRowsRead);
    return added.length === 0 ? list : mergeLists(list, await rowsOf(segment, added, onRowsRead));
  };
  await inOrder(segments, load, (list, segment) => {
    lists.set(segment, list);
    return true;
  });
  let eventCount = 0;
  for (const list of lists.values()) eventCount += list.length;
  return { actors, lists, segments, eventCount, timeline: null };
}

function isWithin({ day, minMs, maxMs }: Rows, { fromMs, toMs }: Range): boolean {
  const startMs = dayStartMs(day);
  return startMs + minMs < toMs && startMs + maxMs >= fromMs;
}

function rowsOf(segment: Rows, actors: readonly number[], onRowsRead: (rowCount: number) => void): Promise<Uint32Array> {
  return whilePinned([segment], async () => {
    if (!(await hasAny(segment, Uint32Array.from(actors)))) return NO_ROWS;
    onRowsRead(segment.rowCount);
    return await Scratch.of((scratch) => readRowsOf(segment, actors, scratch));
  });
}

/** @param actors ascending */
function hasAny(segment: Rows, actors: Uint32Array): Promise<boolean> {
  return Scratch.of(async (scratch) => {
    const { plain, members } = await segment.actorLists(BOTH_ACTORS, scratch);
    return haveCommon(actors, plain) || haveCommon(actors, members);
  });
}

async function upToSequence(hits: readonly Hit[], sequence: number): Promise<Hit[]> {
  const visible: Hit[] = [];
  for (const { rows, list } of hits) {
    const kept = rows.lastSequence <= sequence ? list : await whilePinned([rows], async () => {
      await rows.load([SEQUENCE_COLUMN]);
      const sequences = rows.sequences();
      return list.filter((row) => sequences[row]! <= sequence);
    });
    if (kept.length > 0) visible.push({ rows, list: kept });
  }
  return visible;
}

/** The events from `from` to before `to` of a timeline, which lie in the same rows. */
export interface TimelineSpan {
  readonly rows: Rows;
  readonly from: number;
  readonly to: number;
}

/** The events of one identity in (createdAt, id, project) order, as row numbers: no text is read. 12 bytes an event. */
export class Timeline {
  readonly spans: TimelineSpan[] = [];
  readonly rows: Uint32Array;
  /** Epoch ms. */
  readonly times: Float64Array;
  #count = 0;

  constructor(readonly capacity: number) {
    this.rows = new Uint32Array(capacity);
    this.times = new Float64Array(capacity);
  }

  get count(): number {
    return this.#count;
  }

  push(rows: Rows, row: number, ms: number): void {
    const at = this.#count;
    const last = this.spans.at(-1);
    if (last?.rows === rows) this.spans[this.spans.length - 1] = { rows, from: last.from, to: at + 1 };
    else this.spans.push({ rows, from: at, to: at + 1 });
    this.rows[at] = row;
    this.times[at] = ms;
    this.#count = at + 1;
  }

  /** Adds rows that are in order. */
  pushAll(rows: Rows, list: Uint32Array, ms: Float64Array): void {
    const from = this.#count;
    this.rows.set(list, from);
    this.times.set(ms, from);
    this.#count = from + list.length;
    this.spans.push({ rows, from, to: this.#count });
  }

  firstAt(ms: number): number {
    return firstAtLeast(this.times, ms);
  }

  spansOf(from: number, to: number): TimelineSpan[] {
    const cut: TimelineSpan[] = [];
    for (let place = this.spanPlace(from); place < this.spans.length && this.spans[place]!.from < to; place += 1) {
      const span = this.spans[place]!;
      const part = { rows: span.rows, from: Math.max(span.from, from), to: Math.min(span.to, to) };
      if (part.from < part.to) cut.push(part);
    }
    return cut;
  }

  rowsAt(at: number): Rows {
    return this.spans[this.spanPlace(at)]!.rows;
  }

  spanPlace(at: number): number {
    return countBefore(this.spans.length - 1, (place) => this.spans[place]!.to <= at);
  }

  /** Codes of some columns for events `[from, to)`. Nothing is read where a zone map shows the only code. @param pause called for each part */
  async codes<const C extends readonly string[]>(
    columns: C,
    pause: () => Promise<void>,
    from = 0,
    to = this.#count,
  ): Promise<{ [K in keyof C]: Uint32Array }> {
    const codes = columns.map(() => new Uint32Array(to - from));
    const put = ({ from: first, to: end }: TimelineSpan, readings: readonly (number | ColumnOnce)[]) => {
      const list = this.rows.subarray(first, end);
      for (const [place, reading] of readings.entries()) {
        const into = codes[place]!.subarray(first - from, end - from);
        if (typeof reading === "number") into.fill(reading);
        else reading.pick(list, into);
      }
    };
    const loads: Promise<void>[] = [];
    for (const span of this.spansOf(from, to)) {
      await pause();
      const scratch = new Scratch();
      const readings = columns.map((column) => onlyCode(span.rows, column) ?? span.rows.readOnce(column, scratch));
      // Without a promise for each part, if all is in memory.
      if (readings.every(isAtHand)) put(span, readings);
      else {
        const taking = whilePinned([span.rows], async () => put(span, await Promise.all(readings))).finally(() => scratch.releaseAll());
        // Never awaited when an earlier one failed.
        taking.catch(() => undefined);
        loads.push(taking);
      }
      if (loads.length === AHEAD_COUNT) await loads.shift();
    }
    await Promise.all(loads);
    return codes as { [K in keyof C]: Uint32Array };
  }
}

function isAtHand(reading: number | ColumnOnce | Promise<ColumnOnce>): reading is number | ColumnOnce {
  return !(reading instanceof Promise);
}

/** The code that all rows have in a column, if the zone map shows it; otherwise null. */
function onlyCode(rows: Rows, column: string): number | null {
  const zone = rows.zone(column);
  if (zone === null) return 0;
  return zone.min === zone.max && !zone.hasZero ? zone.min : null;
}

/** Passes spans with some columns loaded to `take`, in any order: those in memory immediately. @param pause called for each */
export async function eachLoaded(
  spans: readonly TimelineSpan[],
  columnsOf: (span: TimelineSpan) => readonly string[],
  take: (span: TimelineSpan) => void,
  pause: () => Promise<void>,
): Promise<void> {
  const loads: Promise<void>[] = [];
  for (const span of spans) {
    await pause();
    const columns = columnsOf(span);
    const loading = columns.length === 0 ? null : span.rows.load(columns);
    if (loading === null) take(span);
    else {
      const taking = whilePinned([span.rows], () => loading.then(() => take(span)));
      // Never awaited when an earlier one failed.
      taking.catch(() => undefined);
      loads.push(taking);
    }
    if (loads.length === AHEAD_COUNT) await loads.shift();
  }
  await Promise.all(loads);
}

interface Hit {
  readonly rows: Rows;
  readonly list: Uint32Array;
}

/** Cost: the rows; ids are read only for days on which two events of different segments, or of a head, share a millisecond. */
async function timelineOf(hits: readonly Hit[], pause: () => Promise<void>): Promise<Timeline> {
  const timeline = new Timeline(hits.reduce((count, { list }) => count + list.length, 0));
  const days = [...grouped(hits, ({ rows }) => rows.day)].sort(([a], [b]) => a - b).map(([, ofDay]) => ofDay);
  const load = (ofDay: readonly Hit[]) => whilePinned(ofDay.map(({ rows }) => rows), async () => {
    await pause();
    return await eventsOf(ofDay);
  });
  await inOrder(days, load, (events, ofDay) => {
    if (events instanceof Float64Array) for (const { rows, list } of ofDay) timeline.pushAll(rows, list, events);
    else for (const { rows, row, ms } of events) timeline.push(rows, row, ms);
    return true;
  });
  return timeline;
}

interface Event {
  readonly rows: Rows;
  readonly row: number;
  readonly ms: number;
}

/** The events of one day in order; only their times when they lie in one segment, whose rows are in order already. */
async function eventsOf(hits: readonly Hit[]): Promise<readonly Event[] | Float64Array> {
  const times = await Promise.all(hits.map(timesOf));
  if (hits.length === 1 && hits.every(({ rows }) => rows.sealed)) return times[0]!;
  const events = hits.flatMap(({ rows, list }, place) => Array.from(list, (row, at): Event => ({ rows, row, ms: times[place]![at]! })));
  events.sort((a, b) => a.ms - b.ms);
  // The sort is stable: events of one segment at one time keep its order.
  if (!events.some((event, at) => at > 0 && isTie(events[at - 1]!, event))) return events;
  await Promise.all(hits.map(({ rows }) => rows.load([ID_COLUMN])));
  return events.sort((a, b) => a.ms - b.ms || compareEvents(a.rows, a.row, b.rows, b.row));
}

/** Epoch ms. */
function timesOf({ rows, list }: Hit): Promise<Float64Array> {
  return Scratch.of(async (scratch) => {
    const picked = scratch.take(list.length);
    (await rows.readOnce(TIME_COLUMN, scratch)).pick(list, picked);
    const start = dayStartMs(rows.day);
    return Float64Array.from(picked, (ms) => start + ms);
  });
}

/** Whether only ids can order two events. */
function isTie(a: Event, b: Event): boolean {
  return a.ms === b.ms && (a.rows !== b.rows || !a.rows.sealed);
}
