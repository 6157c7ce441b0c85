/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the counts */
import { dayStartMs } from "../../base/time.js";
import { compareIds } from "../../base/uuid.js";
import { codeAt, type CodeColumn } from "../../column/column.js";
import { ID_COLUMN, TIME_COLUMN } from "../../schema/fields.js";
import type { Rows } from "../../segment/rows.js";

/** Events from `from` to before `to` of a timeline: they lie in the same rows. */
export interface Span {
  readonly rows: Rows;
  readonly from: number;
  readonly to: number;
}

/** The events of one identity in (createdAt, id) order, as places of rows: no text is read. 12 bytes an event. */
export class Timeline {
  readonly spans: Span[] = [];
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

  /** Adds rows that are in order and loaded. */
  pushAll(rows: Rows, list: Uint32Array): void {
    const from = this.#count;
    const start = dayStartMs(rows.day);
    const times = rows.times();
    const into = this.times;
    this.rows.set(list, from);
    for (let at = 0; at < list.length; at += 1) into[from + at] = start + times[list[at]!]!;
    this.#count = from + list.length;
    this.spans.push({ rows, from, to: this.#count });
  }

  /** First event at or after an instant. */
  firstAt(ms: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.times[middle]! < ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The spans of the events from `from` to before `to`, cut to them. */
  spansOf(from: number, to: number): Span[] {
    const cut: Span[] = [];
    for (let place = this.#spanPlace(from); place < this.spans.length && this.spans[place]!.from < to; place += 1) {
      const span = this.spans[place]!;
      const part = { rows: span.rows, from: Math.max(span.from, from), to: Math.min(span.to, to) };
      if (part.from < part.to) cut.push(part);
    }
    return cut;
  }

  rowsAt(at: number): Rows {
    return this.spans[this.#spanPlace(at)]!.rows;
  }

  /** Place of the span that holds an event. */
  #spanPlace(at: number): number {
    let low = 0;
    let high = this.spans.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.spans[middle]!.to <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Codes of a column for the events from `from` to before `to`. Where a zone map tells the only code, nothing is loaded. */
  async codes(column: string, from = 0, to = this.#count): Promise<Uint32Array> {
    const codes = new Uint32Array(to - from);
    for (const span of this.spansOf(from, to)) {
      const zone = span.rows.zone(column);
      if (zone === null) continue;
      if (zone.min === zone.max && !zone.hasZero) {
        codes.fill(zone.min, span.from - from, span.to - from);
        continue;
      }
      const loading = span.rows.load([column]);
      if (loading !== null) await loading;
      gather(span.rows.column(column), this.rows.subarray(span.from, span.to), codes.subarray(span.from - from, span.to - from));
    }
    return codes;
  }
}

function gather(column: CodeColumn, list: Uint32Array, into: Uint32Array): void {
  if (column.kind === "sparse") for (let at = 0; at < list.length; at += 1) into[at] = codeAt(column, list[at]!);
  else {
    const { codes } = column;
    for (let at = 0; at < list.length; at += 1) into[at] = codes[list[at]!]!;
  }
}

/** Rows of a segment or head that belong to an identity, ascending. */
export interface Hit {
  readonly rows: Rows;
  readonly list: Uint32Array;
}

/**
 * The events of these rows in order.
 * Cost: the rows; ids are read only for days whose events lie in several segments or in a head.
 * @param pause called day by day
 */
export async function timelineOf(hits: readonly Hit[], pause: () => Promise<void>): Promise<Timeline> {
  const hitsOfDay = new Map<number, Hit[]>();
  let count = 0;
  for (const hit of hits) {
    count += hit.list.length;
    const known = hitsOfDay.get(hit.rows.day);
    if (known === undefined) hitsOfDay.set(hit.rows.day, [hit]);
    else known.push(hit);
  }
  const timeline = new Timeline(count);
  for (const [, ofDay] of [...hitsOfDay].sort(([a], [b]) => a - b)) {
    await pause();
    for (const { rows } of ofDay) rows.pin();
    try {
      await addDay(timeline, ofDay);
    } finally {
      for (const { rows } of ofDay) rows.unpin();
    }
  }
  return timeline;
}

async function addDay(timeline: Timeline, hits: readonly Hit[]): Promise<void> {
  const isOrdered = hits.length === 1 && hits.every(({ rows }) => rows.sealed);
  for (const { rows } of hits) {
    const loading = rows.load(isOrdered ? [TIME_COLUMN] : [TIME_COLUMN, ID_COLUMN]);
    if (loading !== null) await loading;
  }
  if (isOrdered) for (const { rows, list } of hits) timeline.pushAll(rows, list);
  else pushMixed(timeline, hits);
}

/** The rows of one day that lie in several segments, or in a head in order of arrival. */
function pushMixed(timeline: Timeline, hits: readonly Hit[]): void {
  const events = hits.flatMap(({ rows, list }) => {
    const start = dayStartMs(rows.day);
    const times = rows.times();
    return Array.from(list, (row) => ({ rows, row, ms: start + times[row]! }));
  });
  events.sort((a, b) => a.ms - b.ms || compareIds(a.rows.ids(), a.row * 16, b.rows.ids(), b.row * 16));
  for (const { rows, row, ms } of events) timeline.push(rows, row, ms);
}
