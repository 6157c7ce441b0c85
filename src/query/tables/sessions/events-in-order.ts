import { Scratch } from "../../../core/base/scratch.js";
import type { Yielder } from "../../../core/base/yield.js";
import { Prefetch } from "../../../storage/segment/prefetch.js";
import { SEQUENCE_COLUMN } from "../../../core/schema/fields.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { orderOfHead, type EventColumns, type EventSource } from "./event-source.js";
import { assert } from "../../../core/base/errors.js";
import { dayStartMs } from "../../../core/base/time.js";

/** What was read of a segment or head, and the memory that holds it. */
export interface ReadEvents {
  readonly decode: () => EventColumns;
  /** By row; null if the reader needs none. */
  readonly sequences: Uint32Array | null;
  readonly scratch: Scratch;
}

export class EventReader {
  constructor(
    readonly source: EventSource,
    readonly yielder: Yielder,
    readonly onRowsRead: (rowCount: number) => void,
    readonly needsSequences = false,
  ) {}

  readsOf(all: readonly Rows[]): Prefetch<ReadEvents> {
    return new Prefetch(all, (rows) => this.#read(rows));
  }

  async #read(rows: Rows): Promise<ReadEvents> {
    const scratch = new Scratch();
    const reading = this.needsSequences ? rows.readOnce(SEQUENCE_COLUMN, scratch) : null;
    const [sequences, decode] = await Promise.all([reading, this.source.readOnce(rows, scratch)]);
    return { decode, sequences: sequences?.all() ?? null, scratch };
  }
}

/* eslint-disable @typescript-eslint/no-non-null-assertion -- sources and rows are bounded by their lists */
/** Some events of one part, ordered by time and id. */
export interface OrderedEvents {
  readonly part: number;
  readonly dayMs: number;
  readonly events: EventColumns;
  /** Indexes into the columns in order of time; null: as stored. */
  readonly order: Uint32Array | null;
  /** By index: the row of the part; null: the same number. */
  readonly rowNumbers: Uint32Array | null;
  /** By row of the part; null unless the reader needs them. */
  readonly sequences: Uint32Array | null;
}

export interface PickedEvents {
  readonly events: EventColumns;
  readonly rowNumbers: Uint32Array;
}

export interface PartSource {
  readonly part: number;
  readonly rows: Rows;
  /** Its relevant events, if they are known; null: all, which are read. */
  readonly picked: PickedEvents | null;
}

/** Events passed on between yields, and the cost of each in values read. */
const EVENTS_AT_ONCE = 8_192;
const VALUES_PER_EVENT = 8;

/**
 * Passes the events of all sources to `take` in order of time, merging the segments and heads of a day. Each source is read when its first event is
 * due, and released after its last one. Cost: `take` for each event, and a check of all open sources each time another one continues.
 * @param take receives events from one index of their order to before another
 */
export async function eachInOrder(sources: readonly PartSource[], reader: EventReader, take: (events: OrderedEvents, from: number, to: number) => Promise<void> | void): Promise<void> {
  const waiting = sources.filter(({ rows, picked }) => (picked?.rowNumbers.length ?? rows.rowCount) > 0).sort((a, b) => firstMsOf(a) - firstMsOf(b));
  const reads = reader.readsOf(waiting.filter(({ picked }) => picked === null).map(({ rows }) => rows));
  const open = new Set<OpenSource>();
  let takenCount = 0;
  try {
    for (let next = 0; next < waiting.length || open.size > 0; ) {
      const { first, othersMs } = leastOf(open);
      const nextMs = next < waiting.length ? firstMsOf(waiting[next]!) : Infinity;
      if (first === null || nextMs <= first.nextMs) {
        const source = waiting[next]!;
        next += 1;
        open.add(await OpenSource.of(source, reader, reads));
        continue;
      }
      const from = first.at;
      const to = first.goOn(Math.min(othersMs, nextMs));
      // Mostly there is no promise, and waiting anyway would take longer than the work.
      const taking = take(first.events, from, to);
      if (taking !== undefined) await taking;
      takenCount += to - from;
      if (first.isAtEnd) {
        open.delete(first);
        first.close();
      }
      if (takenCount < EVENTS_AT_ONCE) continue;
      await reader.yielder.yieldAfter(takenCount * VALUES_PER_EVENT);
      takenCount = 0;
    }
  } finally {
    for (const source of open) source.close();
    reads.release();
  }
}

function firstMsOf({ rows }: PartSource): number {
  return dayStartMs(rows.day) + rows.minMs;
}

function leastOf(open: Iterable<OpenSource>): { readonly first: OpenSource | null; readonly othersMs: number } {
  let first: OpenSource | null = null;
  let othersMs = Infinity;
  for (const source of open) {
    if (first !== null && source.nextMs >= first.nextMs) othersMs = Math.min(othersMs, source.nextMs);
    else {
      if (first !== null) othersMs = first.nextMs;
      first = source;
    }
  }
  return { first, othersMs };
}

class OpenSource {
  /** Events before this index were passed on. */
  at = 0;
  /** Epoch ms of the next event; Infinity at the end. */
  nextMs: number;

  static async of(source: PartSource, reader: EventReader, reads: Prefetch<ReadEvents>): Promise<OpenSource> {
    const { part, rows, picked } = source;
    const dayMs = dayStartMs(rows.day);
    if (picked !== null) return new OpenSource({ part, dayMs, ...picked, order: null, sequences: null }, () => undefined);
    rows.pin();
    try {
      const read = await reads.of(rows);
      assert(read !== null, "reads return events");
      reader.onRowsRead(rows.rowCount);
      const order = rows.sealed ? null : await orderOfHead(rows, reader.yielder);
      return new OpenSource({ part, dayMs, events: read.decode(), order, rowNumbers: null, sequences: read.sequences }, () => {
        read.scratch.releaseAll();
        rows.unpin();
      });
    } catch (error) {
      rows.unpin();
      throw error;
    }
  }

  private constructor(
    readonly events: OrderedEvents,
    readonly close: () => void,
  ) {
    this.nextMs = this.#msAt(0);
  }

  get isAtEnd(): boolean {
    return this.nextMs === Infinity;
  }

  /** Advances past the events up to an instant, or past some of them. @returns the index after them */
  goOn(lastMs: number): number {
    const { order, dayMs, events: { times } } = this.events;
    const end = Math.min(this.at + EVENTS_AT_ONCE, times.length);
    const last = lastMs - dayMs;
    let at = this.at;
    if (order === null) while (at < end && times[at]! <= last) at += 1;
    else while (at < end && times[order[at]!]! <= last) at += 1;
    this.at = at;
    this.nextMs = this.#msAt(at);
    return at;
  }

  #msAt(place: number): number {
    const { order, dayMs, events: { times } } = this.events;
    if (place >= times.length) return Infinity;
    return dayMs + times[order === null ? place : order[place]!]!;
  }
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

/** What work needs before it continues: columns of some rows, which stay until the next ones are requested; or a yield, after this many values. */
export type Need = { readonly rows: Rows; readonly columns: readonly string[] } | number;

/** Work over rows of several segments and heads. @typeParam T its result */
export type Reading<T = void> = Generator<Need, T>;

/** Runs the work, yielding. Cost: that of the work and of the loads. */
export async function readYielding(reading: Reading, yielder: Yielder): Promise<void> {
  let pinned: Rows | null = null;
  try {
    for (const need of reading) {
      if (typeof need === "number") {
        await yielder.yieldAfter(need);
        continue;
      }
      pinned?.unpin();
      pinned = need.rows;
      pinned.pin();
      await need.rows.load(need.columns);
    }
  } finally {
    pinned?.unpin();
  }
}

/** Runs the work without yielding; false when a column is not in memory. */
export function readAtOnce(reading: Reading): boolean {
  for (const need of reading) {
    if (typeof need === "number") continue;
    const loading = need.rows.load(need.columns);
    if (loading === null) continue;
    // A retry reports the failure.
    loading.catch(() => undefined);
    return false;
  }
  return true;
}
