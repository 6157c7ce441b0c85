/* eslint-disable @typescript-eslint/no-non-null-assertion -- sources and rows are bounded by their lists */
import { Scratch } from "../../base/scratch.js";
import { dayStartMs } from "../../base/time.js";
import type { LoadsAhead } from "../../segment/loads-ahead.js";
import type { Rows } from "../../segment/rows.js";
import { orderOfHead, type EventColumns } from "./event-columns.js";
import type { EventReader } from "./event-reader.js";

/** Some events of one part, in the order of their times and ids. */
export interface OrderedEvents {
  /** Number of the part. */
  readonly part: number;
  readonly dayMs: number;
  readonly events: EventColumns;
  /** Places in the columns by time; null: as they stand. */
  readonly order: Uint32Array | null;
  /** By place: the row of the part; null: the same number. */
  readonly rowNumbers: Uint32Array | null;
}

/** Some events of a day, and which of its rows they are. */
export interface PickedEvents {
  readonly events: EventColumns;
  readonly rowNumbers: Uint32Array;
}

/** A part whose events are read. */
export interface PartSource {
  readonly part: number;
  readonly rows: Rows;
  /** Those of its events that matter, where they are known; null: all, which are to be loaded. */
  readonly picked: PickedEvents | null;
}

/** Events that are taken in one go, in values each: then others have a turn. */
const EVENTS_AT_ONCE = 8_192;
const VALUES_PER_EVENT = 8;

/**
 * Tells of the events of all sources in the order of their times: what lies in several segments and heads of one day is merged. Each is read when
 * its first event comes, and let go behind its last one. Cost: what an event costs `take`; for each time that another source goes on, a look at those
 * that are read.
 * @param take is told of events from one place of their order to before another one
 */
export async function eachInOrder(sources: readonly PartSource[], reader: EventReader, take: (events: OrderedEvents, from: number, to: number) => Promise<void> | void): Promise<void> {
  const waiting = sources.filter(({ rows, picked }) => (picked?.rowNumbers.length ?? rows.rowCount) > 0).sort((a, b) => firstMsOf(a) - firstMsOf(b));
  const loads = reader.loadsOf(waiting.filter(({ picked }) => picked === null).map(({ rows }) => rows));
  const open = new Set<OpenSource>();
  let takenCount = 0;
  try {
    for (let next = 0; next < waiting.length || open.size > 0; ) {
      const { first, othersMs } = leastOf(open);
      const nextMs = next < waiting.length ? firstMsOf(waiting[next]!) : Infinity;
      if (first === null || nextMs <= first.nextMs) {
        const source = waiting[next]!;
        next += 1;
        open.add(await OpenSource.of(source, reader, loads));
        continue;
      }
      const from = first.at;
      const to = first.goOn(Math.min(othersMs, nextMs));
      // Most are taken at once: to wait for each would take longer than that.
      const taking = take(first.events, from, to);
      if (taking !== undefined) await taking;
      takenCount += to - from;
      if (first.isAtEnd) {
        open.delete(first);
        first.close();
      }
      if (takenCount < EVENTS_AT_ONCE) continue;
      await reader.turns.took(takenCount * VALUES_PER_EVENT);
      takenCount = 0;
    }
  } finally {
    for (const source of open) source.close();
    loads.release();
  }
}

/** Epoch ms at or before the first event. */
function firstMsOf({ rows }: PartSource): number {
  return dayStartMs(rows.day) + rows.minMs;
}

/** The source with the earliest next event, and when the next one of the others lies. */
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

/** A source that is read. */
class OpenSource {
  /** Events before this place were taken. */
  at = 0;
  /** Epoch ms of the next event. */
  nextMs: number;

  static async of(source: PartSource, reader: EventReader, loads: LoadsAhead): Promise<OpenSource> {
    const { part, rows, picked } = source;
    const dayMs = dayStartMs(rows.day);
    if (picked !== null) return new OpenSource({ part, dayMs, ...picked, order: null }, () => undefined);
    rows.pin();
    const scratch = new Scratch();
    const close = () => {
      scratch.releaseAll();
      rows.unpin();
    };
    try {
      await loads.of(rows);
      reader.looked(rows.rowCount);
      const order = rows.sealed ? null : await orderOfHead(rows, reader.turns);
      return new OpenSource({ part, dayMs, events: reader.source.read(rows, scratch), order, rowNumbers: null }, close);
    } catch (error) {
      close();
      throw error;
    }
  }

  private constructor(
    readonly events: OrderedEvents,
    /** Nobody reads its events any more. */
    readonly close: () => void,
  ) {
    this.nextMs = this.#msAt(0);
  }

  get isAtEnd(): boolean {
    return this.nextMs === Infinity;
  }

  /** Goes on behind the events up to an instant, or some of them. @returns the place behind them */
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
