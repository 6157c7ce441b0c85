import { MS_PER_DAY, dayStartMs } from "../../../core/base/time.js";
import { BitSet } from "../../../storage/column/bitmap.js";
import type { IdentityView } from "../../../identity/identity-view.js";
import { areSameNumbers, getOrMake, grouped } from "../../../core/base/arrays.js";
import { Scratch } from "../../../core/base/scratch.js";
import { firstAtLeast } from "../../../core/base/search.js";
import type { Yielder } from "../../../core/base/yield.js";
import { type Rows, whilePinned } from "../../../storage/segment/rows.js";
import { actorAt, orderOfHead, type EventColumns, type ActorTimes } from "./event-source.js";
import { keyOfRows, type PartKey } from "./session-part.js";
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

const BYTES_PER_EVENT = 6 * 4;

export function byteLengthOfCarried({ late, actors, picked: { rowNumbers } }: CarriedPart): number {
  return late.byteLength + actors.byteLength + rowNumbers.length * BYTES_PER_EVENT;
}

interface CarriedEvents {
  /** By ascending day. */
  readonly parts: readonly CarriedPart[];
  readonly midnight: Midnight;
  readonly earliestDay: number;
}

/**
 * Reads the events of earlier days of identities whose sessions may cross midnight into the first day: day by day, back to a midnight that none of
 * them crosses. Cost: times and actors of the first day, of the earlier ones that were not read before, and of one more: two or three days, or all
 * when an identity never pauses.
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
  const ofDays = grouped(rows, (each) => each.day);
  const ofDay = (day: number) => ofDays.get(day) ?? [];
  const unread = (day: number) => ofDay(day).filter((each) => (day === firstDay ? each.minMs <= gapMs : knownOf(each) === undefined));
  const midnight = new Midnight(dayStartMs(firstDay), gapMs);
  const all: CarriedPart[] = [];
  let { after } = midnight;
  let earliestDay = firstDay;

  const takeDay = async (read: DayTimes, day: number): Promise<void> => {
    const late = new Map<Rows, Uint32Array>();
    for (const each of ofDay(day)) late.set(each, knownOf(each)?.late ?? (await read.lateIn(each, MS_PER_DAY - gapMs)));
    const before = day === firstDay - 1 ? midnight.before : new BitSet();
    for (const own of late.values()) for (const actor of own) before.add(actor);
    const crossing = await actorsCrossing(before, after, identities, reader.yielder);
    const actors = listOf(crossing);
    const parts: CarriedPart[] = [];
    for (const each of ofDay(day)) {
      const carried = knownOf(each);
      const isSame = carried !== undefined && areSameNumbers(carried.actors, actors);
      parts.push({ rows: each, late: late.get(each)!, actors, picked: isSame ? carried.picked : await read.pickedIn(each, crossing) });
    }
    all.unshift(...parts);
    earliestDay = day;
    after = new BitSet();
    for (const { picked } of parts) addBetween(picked.events, true, 0, gapMs, after);
  };

  const begin = (day: number) => {
    const reading = DayTimes.of(unread(day), reader);
    // An error reaches who waits for the day; perhaps nobody does.
    reading.catch(() => undefined);
    return reading;
  };
  let ahead = begin(firstDay);
  try {
    for (let day = firstDay; day === firstDay || after.count > 0; day -= 1) {
      const read = await ahead;
      ahead = begin(day - 1);
      try {
        if (day < firstDay) await takeDay(read, day);
        else for (const each of unread(day)) await read.addActors(each, 0, gapMs, after);
      } finally {
        read.release();
      }
    }
  } finally {
    // Its memory must not be used again before all is read into it.
    void ahead.then((read) => read.release(), () => undefined);
  }
  return { parts: all, midnight, earliestDay };
}

/** Times and actors of rows of one day, read for one use. */
class DayTimes {
  readonly #scratch = new Scratch();
  readonly #reads = new Map<Rows, () => ActorTimes>();
  readonly #decoded = new Map<Rows, ActorTimes>();

  private constructor(readonly reader: EventReader) {}

  static async of(all: readonly Rows[], reader: EventReader): Promise<DayTimes> {
    const day = new DayTimes(reader);
    await Promise.all(all.map((rows) => day.#read(rows)));
    return day;
  }

  release(): void {
    this.#scratch.releaseAll();
  }

  /** The actors of rows from an instant of the day on, ascending. */
  async lateIn(rows: Rows, fromMs: number): Promise<Uint32Array> {
    this.reader.onRowsRead(rows.rowCount);
    const late = new BitSet();
    await this.addActors(rows, fromMs, Infinity, late);
    return listOf(late);
  }

  /** Adds the actors of rows between two instants of the day, both included. */
  async addActors(rows: Rows, fromMs: number, toMs: number, into: BitSet): Promise<void> {
    addBetween(await this.#of(rows), rows.sealed, fromMs, toMs, into);
    await this.reader.yielder.yieldAfter(rows.rowCount);
  }

  async pickedIn(rows: Rows, actors: BitSet): Promise<PickedEvents> {
    const { yielder } = this.reader;
    const read = await this.#of(rows);
    const order = rows.sealed ? null : await orderOfHead(rows, yielder);
    const found = this.#scratch.take(rows.rowCount);
    let count = 0;
    for (let at = 0; at < found.length; at += 1) {
      const row = order === null ? at : order[at]!;
      found[count] = row;
      if (actors.has(actorAt(read, row))) count += 1;
    }
    const rowNumbers = found.slice(0, count);
    await yielder.yieldAfter(rows.rowCount);
    return { events: pickedOf(read, rowNumbers), rowNumbers };
  }

  async #of(rows: Rows): Promise<ActorTimes> {
    const decode = this.#reads.get(rows) ?? (await this.#read(rows));
    return getOrMake(this.#decoded, rows, decode);
  }

  async #read(rows: Rows): Promise<() => ActorTimes> {
    const decode = await whilePinned([rows], () => this.reader.source.readTimesOnce(rows, this.#scratch));
    this.#reads.set(rows, decode);
    return decode;
  }
}

/** Events without what no report shows of them: it shows no session that begins before the first day. */
function pickedOf({ users, anonymous, projects, onlyProject, times }: ActorTimes, rows: Uint32Array): EventColumns {
  const pick = <A extends Uint32Array | Int32Array>(values: A, own: A): A => {
    for (let at = 0; at < rows.length; at += 1) own[at] = values[rows[at]!]!;
    return own;
  };
  const codesOf = (codes: Uint32Array) => pick(codes, new Uint32Array(rows.length));
  const none = new Uint32Array(rows.length);
  return {
    users: codesOf(users), anonymous: codesOf(anonymous), projects: projects === null ? null : codesOf(projects), onlyProject, times: pick(times, new Int32Array(rows.length)),
    slugs: none, urls: none, isPageview: new Uint8Array(1), leftOut: null,
  };
}

/** Adds the actors of rows between two instants of the day, both included. @param isInOrder whether the times ascend */
function addBetween(read: ActorTimes, isInOrder: boolean, fromMs: number, toMs: number, into: BitSet): void {
  const { times } = read;
  for (let at = isInOrder ? firstAtLeast(times, fromMs) : 0; at < times.length; at += 1) {
    if (isInOrder && times[at]! > toMs) return;
    const actor = times[at]! >= fromMs && times[at]! <= toMs ? actorAt(read, at) : 0;
    if (actor !== 0) into.add(actor);
  }
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
