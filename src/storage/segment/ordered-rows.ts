import { mergedSorted } from "../../core/base/arrays.js";
import { dayStartMs } from "../../core/base/time.js";
import { countBefore } from "../../core/base/search.js";
import { compareEvents, compareWithKey, orderWithin, type EventKey } from "./event-order.js";
import type { IncrementalValue, Rows } from "./rows.js";

/** Start of a read in (createdAt, event id, project) order: after the event with a key, or at the first event of a time. */
interface RowPosition {
  readonly createdAtMs: number;
  /** Null: start at the first event of that time. */
  readonly key: EventKey | null;
}

/** The current row, valid until the next one is requested. */
interface RowAt {
  readonly rows: Rows;
  readonly row: number;
}

/** In (createdAt, event id, project) order; times and ids must be loaded. Cost: a binary search of each part. Heads sort new rows only. */
export function* orderedRows(day: readonly Rows[], from: RowPosition, toMs: number): Generator<RowAt> {
  const parts = day.map((rows) => new OrderedPart(rows, from, toMs)).filter((part) => part.isLeft).sort(comparePlaces);
  for (let [first] = parts; first !== undefined; [first] = parts) {
    yield first;
    first.next();
    if (first.isLeft) sink(parts);
    else parts.shift();
  }
}

/** Moves the first part to its position among the others, which are in order. */
function sink(parts: OrderedPart[]): void {
  for (let at = 1; at < parts.length; at += 1) {
    const [before, here] = [parts[at - 1], parts[at]];
    if (before === undefined || here === undefined || comparePlaces(before, here) <= 0) return;
    [parts[at - 1], parts[at]] = [here, before];
  }
}

function comparePlaces(a: OrderedPart, b: OrderedPart): number {
  return a.ms - b.ms || compareEvents(a.rows, a.row, b.rows, b.row);
}

class OrderedPart implements RowAt {
  readonly #times: Int32Array;
  /** Rows by position; null if they are already in order. */
  readonly #order: Uint32Array | null;
  readonly #end: number;
  #at: number;

  constructor(
    readonly rows: Rows,
    from: RowPosition,
    toMs: number,
  ) {
    this.#times = rows.times();
    this.#order = rows.sealed ? null : rows.deriveIncrementally("order", orderOf(rows));
    const startMs = dayStartMs(rows.day);
    this.#at = this.#placeOf(from.createdAtMs - startMs, from.key);
    this.#end = this.#placeOf(toMs - startMs, null);
  }

  get isLeft(): boolean {
    return this.#at < this.#end;
  }

  get row(): number {
    return this.#rowAt(this.#at);
  }

  /** Ms of the day. */
  get ms(): number {
    return this.#times[this.row] as number;
  }

  next(): void {
    this.#at += 1;
  }

  #rowAt(place: number): number {
    return this.#order === null ? place : (this.#order[place] as number);
  }

  /** The first position at or after a time or, with a key, after that event. */
  #placeOf(ms: number, key: EventKey | null): number {
    return countBefore(this.rows.rowCount, (place) => {
      const row = this.#rowAt(place);
      const difference = (this.#times[row] as number) - ms;
      return difference === 0 && key !== null ? compareWithKey(this.rows, row, key) <= 0 : difference < 0;
    });
  }
}

/** The order of a head's rows by (createdAt, event id, project): sorts the rows added since the last call and merges them with the others. */
function orderOf(head: Rows): IncrementalValue<Uint32Array> {
  const [times, order] = [head.times(), orderWithin(head)];
  const compare = (a: number, b: number) => (times[a] as number) - (times[b] as number) || order(a, b);
  return {
    of: ({ rowCount }, first) => Uint32Array.from({ length: rowCount }, (_, row) => first + row).sort(compare),
    join: (known, more) => mergedSorted(known, more, compare),
    byteLength: ({ byteLength }) => byteLength,
  };
}
