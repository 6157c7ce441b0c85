/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their parts, events by their number */
import { compareIds } from "../../../core/base/uuid.js";
import { radixOrder } from "../../../storage/column/radix-order.js";
import { ID_COLUMN } from "../../../core/schema/fields.js";
import type { Rows } from "../../../storage/segment/rows.js";
import type { SessionPart } from "./session-part.js";
import type { Reading } from "./events-in-order.js";
import type { SessionColumns } from "./session-columns.js";
import { withRoomFor } from "../../../core/base/arrays.js";

/** An event of a part, and the code of its url. */
export interface EventOfPart {
  readonly part: number;
  readonly row: number;
  readonly url: number;
}

/** Events of one millisecond, some of which may share a session without being in the order of their ids. */
interface EventsAtTime {
  readonly ms: number;
  readonly sessions: Uint32Array;
  readonly parts: Uint32Array;
  readonly rows: Uint32Array;
  readonly urls: Uint32Array;
}

/** Events of one session and millisecond, one of which is its first or last event. */
interface Tie {
  readonly session: number;
  readonly isExit: boolean;
  readonly moment: EventsAtTime;
  readonly places: readonly number[];
}

/** Url codes are below it. Added to an index in `#moments`, it marks the exit of a session until ids decide or a later event replaces it. */
const OPEN_EXIT = 2 ** 31;
/** Events processed between yields, and the cost of each in values read. */
const EVENTS_AT_ONCE = 4_096;
const VALUES_PER_EVENT = 32;

/** Decides by ids which events of one millisecond, in several parts or in a head, are first or last in their sessions. 16 bytes an event. */
export class Ties {
  readonly #moments: EventsAtTime[] = [];
  /** The events of the latest millisecond so far. */
  #ms = NaN;
  #count = 0;
  /** Whether some of them share a session, and whether all came in the order of their ids. */
  #areSomeOfOneSession = false;
  #areInOrder = true;
  #sessions = new Uint32Array(64);
  #parts = new Uint32Array(64);
  #rows = new Uint32Array(64);
  #urls = new Uint32Array(64);

  constructor(
    readonly columns: SessionColumns,
    readonly parts: readonly SessionPart[],
    /** Whether events of one head come in the order of their ids too. */
    readonly areHeadsInOrder: boolean,
  ) {}

  /** Notes an event that was put into its session. @param isAnother whether the session already has an event of this millisecond */
  note(session: number, part: number, row: number, url: number, ms: number, isAnother: boolean): void {
    if (ms !== this.#ms) {
      if (this.#areSomeOfOneSession && !this.#areInOrder) this.#keepMoment();
      this.#ms = ms;
      this.#count = 0;
      this.#areSomeOfOneSession = false;
      this.#areInOrder = this.areHeadsInOrder || this.parts[part]!.sealed;
    } else if (part !== this.#parts[0]) this.#areInOrder = false;
    if (isAnother) this.#areSomeOfOneSession = true;
    const at = this.#count;
    this.#count = at + 1;
    if (at === this.#sessions.length) this.#grow(at + 1);
    this.#sessions[at] = session;
    this.#parts[at] = part;
    this.#rows[at] = row;
    this.#urls[at] = url;
  }

  /** Decides all ties after the last `note`. Cost: the ids of parts with tied events, and a sort by session of the events of these milliseconds. */
  *decide(rowsOf: readonly Rows[]): Reading {
    if (this.#areSomeOfOneSession && !this.#areInOrder) this.#keepMoment();
    const ties: Tie[] = [];
    for (const number of this.#moments.keys()) yield* this.#tiesOf(number, ties);
    if (ties.length === 0) return;
    yield* this.#settle(ties, yield* idsOf(ties, rowsOf));
  }

  #grow(count: number): void {
    this.#sessions = withRoomFor(this.#sessions, count);
    this.#parts = withRoomFor(this.#parts, count);
    this.#rows = withRoomFor(this.#rows, count);
    this.#urls = withRoomFor(this.#urls, count);
  }

  #keepMoment(): void {
    const count = this.#count;
    const [sessions, urls] = [this.#sessions.slice(0, count), this.#urls.slice(0, count)];
    for (let at = 0; at < count; at += 1) if (urls[at] !== 0) this.columns.exitUrls[sessions[at]!] = OPEN_EXIT + this.#moments.length;
    this.#moments.push({ ms: this.#ms, sessions, parts: this.#parts.slice(0, count), rows: this.#rows.slice(0, count), urls });
  }

  /** Settles the exits whose events came in order, and adds the others to `ties`. */
  *#tiesOf(number: number, ties: Tie[]): Reading {
    const moment = this.#moments[number]!;
    const { ms, sessions, urls } = moment;
    const { starts, exitUrls } = this.columns;
    const order = radixOrder(Uint32Array.from(sessions.keys()), sessions);
    yield order.length * VALUES_PER_EVENT;
    for (let from = 0, to = 0, pieceEnd = EVENTS_AT_ONCE; from < order.length; from = to) {
      const session = sessions[order[from]!]!;
      while (to < order.length && sessions[order[to]!] === session) to += 1;
      const places = [...order.subarray(from, to)];
      if (starts[session] === ms && !this.#cameInOrder(moment, places)) ties.push({ session, isExit: false, moment, places });
      if (exitUrls[session] === OPEN_EXIT + number) {
        const withUrl = places.filter((place) => urls[place] !== 0);
        if (this.#cameInOrder(moment, withUrl)) exitUrls[session] = urls[withUrl.at(-1)!]!;
        else ties.push({ session, isExit: true, moment, places: withUrl });
      }
      if (to < pieceEnd) continue;
      yield EVENTS_AT_ONCE * VALUES_PER_EVENT;
      pieceEnd = to + EVENTS_AT_ONCE;
    }
  }

  #cameInOrder({ parts }: EventsAtTime, places: readonly number[]): boolean {
    const [first, ...others] = places;
    if (first === undefined || others.length === 0) return true;
    return (this.areHeadsInOrder || this.parts[parts[first]!]!.sealed) && others.every((place) => parts[place] === parts[first]);
  }

  *#settle(ties: readonly Tie[], ids: IdsOfParts): Reading {
    const { exitUrls, firstParts, firstRows, entryUrls } = this.columns;
    for (const [at, { session, isExit, moment, places }] of ties.entries()) {
      const idAt = (place: number) => ids.get(moment.parts[place]!)!.get(moment.rows[place]!)!;
      const sign = isExit ? 1 : -1;
      const place = places.reduce((one, other) => (compareIds(idAt(other), 0, idAt(one), 0) * sign > 0 ? other : one));
      if (isExit) exitUrls[session] = moment.urls[place]!;
      else {
        firstParts[session] = moment.parts[place]!;
        firstRows[session] = moment.rows[place]!;
        entryUrls[session] = moment.urls[place]!;
      }
      if (at % EVENTS_AT_ONCE === 0) yield EVENTS_AT_ONCE * VALUES_PER_EVENT;
    }
  }
}

/** By part and row: 16 bytes each. */
type IdsOfParts = Map<number, Map<number, Uint8Array>>;

function* idsOf(ties: readonly Tie[], rowsOf: readonly Rows[]): Reading<IdsOfParts> {
  const all: IdsOfParts = new Map();
  const rowsOfParts = new Map<number, number[]>();
  let count = 0;
  for (const { moment, places } of ties)
    for (const place of places) {
      const rows = rowsOfParts.get(moment.parts[place]!);
      if (rows === undefined) rowsOfParts.set(moment.parts[place]!, [moment.rows[place]!]);
      else rows.push(moment.rows[place]!);
      count += 1;
      if (count % EVENTS_AT_ONCE === 0) yield EVENTS_AT_ONCE * VALUES_PER_EVENT;
    }
  for (const [part, rows] of rowsOfParts) {
    const own = rowsOf[part]!;
    yield { rows: own, columns: [ID_COLUMN] };
    const [ids, found] = [own.ids(), new Map<number, Uint8Array>()];
    for (const [at, row] of rows.entries()) {
      found.set(row, ids.slice(row * 16, row * 16 + 16));
      if (at % EVENTS_AT_ONCE === 0) yield EVENTS_AT_ONCE * VALUES_PER_EVENT;
    }
    all.set(part, found);
  }
  return all;
}
