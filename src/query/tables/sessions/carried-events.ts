import { MS_PER_DAY, dayStartMs } from "../../../core/base/time.js";
import { BitSet } from "../../../storage/column/bitmap.js";
import type { IdentityView } from "../../../identity/identity-view.js";
import { areSameNumbers } from "../../../core/base/arrays.js";
import type { Yielder } from "../../../core/base/yield.js";
import type { Prefetch } from "../../../storage/segment/prefetch.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { actorAt, columnsAt, orderOfHead, keyOfRows, type EventColumns, type PartKey } from "./session-part.js";
import type { EventReader, PickedEvents } from "./events-in-order.js";

/** The actors whose sessions may cross the midnight before the first day; only their events of earlier days are read. */
export class Midnight {
  /** Actors that were active within a gap before it, and after it. */
  readonly before = new BitSet();
  readonly after = new BitSet();

  constructor(
    /** Epoch ms. */
    readonly ms: number,
    readonly gapMs: number,
  ) {}

  get byteLength(): number {
    return this.before.words.byteLength + this.after.words.byteLength;
  }

  /**
   * Whether a new event may make a session cross this midnight, or an earlier one beyond which the events of its identity were not read. Events
   * further from midnights do neither. @param ms of its day
   */
  isAffectedBy(dayMs: number, ms: number): boolean {
    return dayMs <= this.ms && (ms <= this.gapMs || (dayMs < this.ms && ms >= MS_PER_DAY - this.gapMs));
  }

  /** Whether an actor that moved between identities belongs to one that crosses it, before or after the move. Cost: all ids of these identities. */
  isAffectedByChanges(moved: Iterable<number>, former: IdentityView, identities: IdentityView): boolean {
    for (const view of [former, identities]) {
      const concerned = new Set<number>();
      for (const actor of moved) concerned.add(view.identityOf(actor));
      for (const identity of concerned) if (this.#isOver(view.actorsOf(identity))) return true;
    }
    return false;
  }

  #isOver(actors: readonly number[]): boolean {
    return actors.some((actor) => this.before.has(actor)) && actors.some((actor) => this.after.has(actor));
  }
}

/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
/** A segment or head of an earlier day, and its events of sessions that may continue into the first day. */
export interface CarriedPart {
  readonly rows: Rows;
  /** Actors that were active within a gap before the day ended, ascending. */
  readonly late: Uint32Array;
  /** The actors of the events: all ids of their identities, ascending; one list for all parts of a day. */
  readonly actors: Uint32Array;
  /** In order of time. */
  readonly picked: PickedEvents;
}

const BYTES_PER_EVENT = 7 * 4;

export function byteLengthOfCarried({ late, actors, picked: { events: { isPageview }, rowNumbers } }: CarriedPart): number {
  return late.byteLength + actors.byteLength + isPageview.byteLength + rowNumbers.length * BYTES_PER_EVENT;
}

interface CarriedEvents {
  /** By ascending day. */
  readonly parts: readonly CarriedPart[];
  readonly midnight: Midnight;
  readonly earliestDay: number;
}

/**
 * Reads the events of earlier days of identities whose sessions may cross midnight into the first day: day by day, back to a midnight that none of
 * them crosses. Cost: the rows of the first day, and those of earlier days that were not read before: one or two days, or all when an identity never
 * pauses.
 * @param former parts of an earlier walk, some of which may still be valid
 */
export async function overMidnight(
  firstDay: number,
  { rows, identities }: { readonly rows: readonly Rows[]; readonly identities: IdentityView },
  former: readonly CarriedPart[],
  reader: EventReader,
  gapMs: number,
): Promise<CarriedEvents> {
  const known = new Map<PartKey, CarriedPart>(former.map((carried) => [keyOfRows(carried.rows), carried]));
  const knownOf = (each: Rows) => {
    const carried = known.get(keyOfRows(each));
    return carried?.rows.rowCount === each.rowCount ? carried : undefined;
  };
  const midnight = new Midnight(dayStartMs(firstDay), gapMs);
  const ofFirstDay = rows.filter((each) => each.day === firstDay && each.minMs <= gapMs);
  const unknown = rows.filter((each) => each.day < firstDay && knownOf(each) === undefined).sort((a, b) => b.day - a.day);
  const ahead = reader.loadsOf([...ofFirstDay, ...unknown]);
  const all: CarriedPart[] = [];
  let day = firstDay;
  try {
    await reader.readEach(ofFirstDay, (_rows, read) => addEarly(read, gapMs, midnight.after), ahead);
    for (let after = midnight.after; after.count > 0; ) {
      day -= 1;
      const ofDay = rows.filter((each) => each.day === day);
      const late = await eachFound(ofDay, (each) => knownOf(each)?.late, reader, (each, read) => {
        reader.onRowsRead(each.rowCount);
        return lateIn(read, MS_PER_DAY - gapMs);
      }, ahead);
      const before = day === firstDay - 1 ? midnight.before : new BitSet();
      for (const own of late.values()) for (const actor of own) before.add(actor);
      const crossing = await actorsCrossing(before, after, identities, reader.yielder);
      const actors = listOf(crossing);
      const pickedBefore = (each: Rows) => {
        const carried = knownOf(each);
        return carried !== undefined && areSameNumbers(carried.actors, actors) ? carried.picked : undefined;
      };
      const picked = await eachFound(ofDay, pickedBefore, reader, (each, read) => pickedIn(each, read, crossing, reader.yielder));
      all.unshift(...ofDay.map((each) => ({ rows: each, late: late.get(each)!, actors, picked: picked.get(each)! })));
      after = new BitSet();
      for (const { events } of picked.values()) addEarly(events, gapMs, after);
    }
  } finally {
    ahead.release();
  }
  return { parts: all, midnight, earliestDay: day };
}

/** Finds something in each of some rows, where it is not known already. */
async function eachFound<T>(
  all: readonly Rows[],
  knownOf: (rows: Rows) => T | undefined,
  reader: EventReader,
  find: (rows: Rows, read: EventColumns) => T | Promise<T>,
  ahead: Prefetch | null = null,
): Promise<Map<Rows, T>> {
  const found = new Map<Rows, T>();
  for (const rows of all) {
    const known = knownOf(rows);
    if (known !== undefined) found.set(rows, known);
  }
  await reader.readEach(all.filter((rows) => !found.has(rows)), async (rows, read) => void found.set(rows, await find(rows, read)), ahead);
  return found;
}

async function pickedIn(rows: Rows, read: EventColumns, actors: BitSet, yielder: Yielder): Promise<PickedEvents> {
  const order = rows.sealed ? null : await orderOfHead(rows, yielder);
  const rowNumbers = new Uint32Array(rows.rowCount);
  let count = 0;
  for (let at = 0; at < rows.rowCount; at += 1) {
    const row = order === null ? at : order[at]!;
    rowNumbers[count] = row;
    if (actors.has(actorAt(read, row))) count += 1;
  }
  const own = rowNumbers.slice(0, count);
  return { events: columnsAt(read, own), rowNumbers: own };
}

function addEarly(read: EventColumns, gapMs: number, into: BitSet): void {
  for (let at = 0; at < read.times.length; at += 1) {
    const actor = read.times[at]! <= gapMs ? actorAt(read, at) : 0;
    if (actor !== 0) into.add(actor);
  }
}

function lateIn(read: EventColumns, fromMs: number): Uint32Array {
  const late = new Set<number>();
  for (let row = 0; row < read.times.length; row += 1) if (read.times[row]! >= fromMs) late.add(actorAt(read, row));
  return Uint32Array.from(late).sort();
}

function listOf(actors: BitSet): Uint32Array {
  const list: number[] = [];
  actors.forEach((actor) => list.push(actor));
  return Uint32Array.from(list);
}

/** All ids of identities that were active on both sides of a midnight. Cost: all ids of those active after it. */
async function actorsCrossing(before: BitSet, after: BitSet, identities: IdentityView, yielder: Yielder): Promise<BitSet> {
  const concerned = new Set<number>();
  after.forEach((actor) => concerned.add(identities.identityOf(actor)));
  const found = new BitSet();
  for (const identity of concerned) {
    const own = identities.actorsOf(identity);
    await yielder.yieldAfter(own.length);
    if (own.some((actor) => before.has(actor))) for (const actor of own) found.add(actor);
  }
  return found;
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

/** A session that continues an earlier one with later events. */
interface Continuation {
  /** The first session of the chain. */
  readonly first: number;
  readonly previous: number;
}

const BYTES_PER_LINK = 120;

/** Tracks sessions that continue others with later events: an event put into any of a chain is in the newest session of a snapshot. */
export class Continuations {
  readonly #newest = new Map<number, number>();
  readonly #links = new Map<number, Continuation>();

  get byteLength(): number {
    return this.#links.size * BYTES_PER_LINK;
  }

  /** Records that a session continues as another one, with a greater number. */
  add(session: number, next: number): void {
    const first = this.firstOf(session);
    this.#links.set(next, { first, previous: session });
    this.#newest.set(first, next);
  }

  /** The session itself when it continues none. */
  firstOf(session: number): number {
    return this.#links.get(session)?.first ?? session;
  }

  /** The newest continuation below `count`; the session itself when there is none. Cost: the continuations since. */
  newestOf(session: number, count: number): number {
    const first = this.firstOf(session);
    let newest = this.#newest.get(first) ?? first;
    while (newest >= count) newest = this.#links.get(newest)?.previous ?? first;
    return newest;
  }
}
