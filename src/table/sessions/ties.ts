/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their parts, events by their number */
import { grouped } from "../../base/grouped.js";
import { compareIds } from "../../base/uuid.js";
import { ID_COLUMN } from "../../schema/fields.js";
import type { Rows } from "../../segment/rows.js";
import type { Part } from "./part.js";
import type { Reading } from "./reading.js";
import type { SessionColumns } from "./session-columns.js";

/** An event of a part, and the code of its url. */
export interface EventOfPart {
  readonly part: number;
  readonly row: number;
  readonly url: number;
}

/** An event, and its id where it is read. */
interface Tied extends EventOfPart {
  id: Uint8Array | null;
}

/** Events of one session at one millisecond. */
interface Tie {
  readonly session: number;
  readonly events: readonly Tied[];
}

/** Codes of urls are below it: with the number of a tie it stands for the exit of a session until ids decide, or a later event takes its place. */
const TIED_EXIT = 2 ** 31;

/** The first events of sessions, and their last ones with a url, where several of one millisecond lie in different parts: ids decide. */
export class Ties {
  readonly #firsts: Tie[] = [];
  readonly #exits: Tie[] = [];
  /** Events of one millisecond: the session, part, row and url of each. */
  #ms = NaN;
  #count = 0;
  #areSomeOfOneSession = false;
  readonly #sessions: number[] = [];
  readonly #parts: number[] = [];
  readonly #rows: number[] = [];
  readonly #urls: number[] = [];

  constructor(
    readonly columns: SessionColumns,
    readonly parts: readonly Part[],
    /** Whether events of one head come in the order of their ids too. */
    readonly areHeadsInOrder: boolean,
  ) {}

  /** An event that was put into its session. @param isAnother whether an event of the same millisecond was put there before */
  note(session: number, part: number, row: number, url: number, ms: number, isAnother: boolean): void {
    if (ms !== this.#ms) {
      if (this.#areSomeOfOneSession) this.#tie();
      this.#ms = ms;
      this.#count = 0;
    }
    if (isAnother) this.#areSomeOfOneSession = true;
    const at = this.#count;
    this.#count = at + 1;
    this.#sessions[at] = session;
    this.#parts[at] = part;
    this.#rows[at] = row;
    this.#urls[at] = url;
  }

  /** Decides, when all are noted. Cost: the ids of the parts concerned. */
  *decide(rowsOf: readonly Rows[]): Reading {
    if (this.#areSomeOfOneSession) this.#tie();
    const { exitUrls, firstParts, firstRows, entryUrls } = this.columns;
    const exits = this.#exits.filter(({ session }, number) => exitUrls[session] === TIED_EXIT + number);
    for (const [part, events] of grouped([...this.#firsts, ...exits].flatMap(({ events }) => events), ({ part }) => part)) {
      const rows = rowsOf[part]!;
      yield { rows, columns: [ID_COLUMN] };
      const ids = rows.ids();
      for (const event of events) event.id = ids.slice(event.row * 16, event.row * 16 + 16);
    }
    for (const { session, events } of this.#firsts) {
      const { part, row, url } = greatestOf(events, -1);
      firstParts[session] = part;
      firstRows[session] = row;
      entryUrls[session] = url;
    }
    for (const { session, events } of exits) exitUrls[session] = greatestOf(events, 1).url;
  }

  /** Looks which events of a millisecond are tied. */
  #tie(): void {
    const { columns: { starts, exitUrls } } = this;
    this.#areSomeOfOneSession = false;
    for (const [session, places] of grouped(Array(this.#count).keys(), (place) => this.#sessions[place]!)) {
      const events = places.map((at): Tied => ({ part: this.#parts[at]!, row: this.#rows[at]!, url: this.#urls[at]!, id: null }));
      if (starts[session] === this.#ms && !this.#areInOrder(events)) this.#firsts.push({ session, events });
      const withUrl = events.filter(({ url }) => url !== 0);
      if (this.#areInOrder(withUrl)) continue;
      exitUrls[session] = TIED_EXIT + this.#exits.length;
      this.#exits.push({ session, events: withUrl });
    }
  }

  /** Whether they came in the order of their ids. */
  #areInOrder(events: readonly Tied[]): boolean {
    const [first, ...others] = events;
    if (first === undefined || others.length === 0) return true;
    return (this.areHeadsInOrder || this.parts[first.part]!.sealed) && others.every(({ part }) => part === first.part);
  }
}

/** @param sign whether the greatest id decides, or the least */
function greatestOf(events: readonly Tied[], sign: 1 | -1): Tied {
  return events.reduce((one, other) => (compareIds(other.id!, 0, one.id!, 0) * sign > 0 ? other : one));
}
