/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows, parts and sessions are bounded by their columns */
import { LIMITS } from "../../../core/base/limits.js";
import { Scratch } from "../../../core/base/scratch.js";
import { dayStartMs } from "../../../core/base/time.js";
import { yieldToEventLoop } from "../../../core/base/yield.js";
import { actorAt } from "./event-source.js";
import { NONE, SessionPart, type PartKey } from "./session-part.js";
import { eachInOrder, type EventReader, type OrderedEvents, type PartSource } from "./events-in-order.js";
import { MovedFirstEvents, type Resessionizing } from "./resessionize.js";
import type { SegmentReplacement } from "./session-changes.js";
import { SessionView, type PendingEvent } from "./session-view.js";
import { PROJECT_SPAN } from "./session-columns.js";

/** Finds the sessions of events requested in order of time, letting sessions begin in that order. Cost: a read of each that begins since. */
class SessionFinder {
  /** By identity and project: the latest session of identities active in several projects at once, except the very latest. */
  readonly #elsewhere = new Map<number, number>();
  #next: number;
  #nextOther: number;

  /** @param fromMs epoch ms: no requested event belongs to a session that begins before it */
  constructor(
    readonly view: SessionView,
    fromMs: number,
    /** By identity: 1 more than the latest session that began; 0 for none. Initially zeros below the end of identities. */
    readonly latest: Uint32Array,
  ) {
    this.#next = view.firstAt(fromMs);
    this.#nextOther = view.firstOtherAt(fromMs);
  }

  /** Lets sessions begin up to an instant, but no more than `countMax`; false when more are left. */
  begin(ms: number, countMax: number): boolean {
    for (let count = 0; count < countMax; count += 1) {
      if (this.#nextMs() > ms) return true;
      this.#beginNext();
    }
    return false;
  }

  /** The session of an event; -1 when it is in none. @param ms instant up to which sessions began, and no later one */
  find(identity: number, project: number, ms: number): number {
    const { starts, lengths, projects } = this.view.facts;
    let session = identity < this.latest.length ? this.latest[identity]! - 1 : -1;
    if (session >= 0 && projects[session] !== project) session = this.#elsewhere.get(identity * PROJECT_SPAN + project) ?? -1;
    return session >= 0 && ms <= starts[session]! + lengths[session]! ? session : -1;
  }

  #nextMs(): number {
    return Math.min(this.#nextOrderedMs(), this.#nextOtherMs());
  }

  #nextOrderedMs(): number {
    const { orderedCount, facts: { starts } } = this.view;
    return this.#next < orderedCount ? starts[this.#next]! : Infinity;
  }

  #nextOtherMs(): number {
    const { others, facts: { starts } } = this.view;
    return this.#nextOther < others.length ? starts[others[this.#nextOther]!]! : Infinity;
  }

  #beginNext(): void {
    const isOrdered = this.#nextOrderedMs() <= this.#nextOtherMs();
    const session = isOrdered ? this.#next : this.view.others[this.#nextOther]!;
    if (isOrdered) this.#next += 1;
    else this.#nextOther += 1;
    if (!this.view.isAlive(session)) return;
    const { identities, projects } = this.view.facts;
    const identity = identities[session]!;
    const latest = this.latest[identity]! - 1;
    if (latest >= 0 && projects[latest] !== projects[session]) this.#elsewhere.set(identity * PROJECT_SPAN + projects[latest]!, latest);
    this.latest[identity] = session + 1;
  }
}

/**
 * Keeps the sessions of a view whose rows moved to other segments: a seal or a compaction changes no fact. New events of these segments are left for
 * the next snapshot. Yields. Returns null when everything must be rebuilt: there are too many new events for one tick, ids decide which of two
 * segments has the first event of a session, or the events are not the same after all.
 * Cost: about 100 ns for each row of the new segments; a read of each session from the first of these rows on, and of those that may reach into its
 * time; a copy of two columns of sessions.
 * @param reader reads sequences too
 */
export async function withReplacedSegments(replacement: SegmentReplacement, { columns, rule }: Pick<Resessionizing, "columns" | "rule">, reader: EventReader): Promise<SessionView | null> {
  const { view, numbers, stayingCount, added } = replacement;
  const { taken } = view;
  const laterCount = added.filter(({ firstSequence }) => firstSequence > taken.sequence).reduce((sum, { rowCount }) => sum + rowCount, 0);
  if (laterCount > LIMITS.resessionizedCount) return null;
  const stays = (_: unknown, number: number) => numbers[number] !== NONE;
  const parts = view.parts.filter(stays);
  for (const rows of added) {
    parts.push(new SessionPart(rows));
    await reader.yielder.yieldAfter(rows.rowCount);
  }
  const rowsOf = [...view.rowsOf.filter(stays), ...added];
  const untaken = taken.untaken.filter(({ part }) => numbers[part] !== NONE).map((event) => ({ ...event, part: numbers[event.part]! }));
  const firsts = await MovedFirstEvents.of(columns, numbers, stayingCount, reader.yielder);
  const missing = missingByDay(replacement);
  const isSame = await Scratch.of(async (scratch) => {
    const fromMs = Math.min(...added.map(({ day, minMs }) => dayStartMs(day) + minMs));
    const latest = await scratch.zerosYielding(view.identityEnd, yieldToEventLoop);
    const replaced = new ReplacedRows(replacement, parts, firsts, new SessionFinder(view, fromMs - rule.maxMs, latest), missing, untaken);
    const sources = added.map((rows, at): PartSource => ({ part: stayingCount + at, rows, picked: null }));
    await eachInOrder(sources, reader, (events, from, to) => replaced.take(events, from, to, reader.yielder));
    return replaced.isSame;
  });
  if (!isSame || !firsts.areSure || [...missing.values()].some((count) => count !== 0)) return null;
  columns.moveFirsts(firsts.parts, firsts.rows);
  const { count, orderedCount, others, identityEnd, days, cache, continuations } = view;
  const partNumbers = new Map<PartKey, number>(parts.map(({ key }, at) => [key, at]));
  return new SessionView(columns.facts(), count, orderedCount, others, identityEnd, rowsOf, parts, partNumbers, days, { ...taken, rows: null, untaken }, cache, continuations);
}

/** By day: number of events that were consumed from parts that are gone. */
function missingByDay({ view: { rowsOf, taken }, numbers }: SegmentReplacement): Map<number, number> {
  const missing = new Map<number, number>();
  const add = (part: number, count: number) => {
    const { day } = rowsOf[part]!;
    if (numbers[part] === NONE) missing.set(day, (missing.get(day) ?? 0) + count);
  };
  for (const [part, { rowCount }] of rowsOf.entries()) add(part, rowCount);
  for (const { part } of taken.untaken) add(part, -1);
  return missing;
}

/** Sessions that begin between yields, and the cost of each in values read. */
const SESSIONS_AT_ONCE = 4_096;
const VALUES_PER_SESSION = 12;

class ReplacedRows {
  /** Whether each event that needs a session has one, and no more new events came than one tick handles. */
  isSame = true;

  constructor(
    readonly replacement: SegmentReplacement,
    readonly parts: readonly SessionPart[],
    readonly firsts: MovedFirstEvents,
    readonly finder: SessionFinder,
    /** By day: number of events still to be found. */
    readonly missing: Map<number, number>,
    readonly untaken: PendingEvent[],
  ) {}

  /** Consumes some events, none of which is earlier than those before. Events of segments are in order of time. */
  async take({ part, dayMs, events, sequences }: OrderedEvents, from: number, to: number, yielder: EventReader["yielder"]): Promise<void> {
    const { added, stayingCount, view: { days, facts: { starts }, taken: { identities, sequence } } } = this.replacement;
    const { projects, onlyProject, times, urls, slugs, isPageview } = events;
    const rows = added[part - stayingCount]!;
    const { sessions } = this.parts[part]!;
    let takenCount = 0;
    for (let row = from; row < to && this.isSame; row += 1) {
      const [actor, ms] = [actorAt(events, row), dayMs + times[row]!];
      const project = projects === null ? onlyProject : projects[row]!;
      if (sequences![row]! > sequence) {
        this.untaken.push({ dayMs, actor, project, part, row, ms, url: urls[row]!, isPageview: isPageview[slugs[row]!] === 1 });
        if (this.untaken.length > LIMITS.resessionizedCount) this.isSame = false;
        continue;
      }
      takenCount += 1;
      if (actor === 0) continue;
      // Between two events of a segment many sessions may begin.
      while (!this.finder.begin(ms, SESSIONS_AT_ONCE)) await yielder.yieldAfter(SESSIONS_AT_ONCE * VALUES_PER_SESSION);
      const session = this.finder.find(identities.identityOf(actor), project, ms);
      if (session >= 0) {
        sessions[row] = session;
        if (ms === starts[session]) this.firsts.found(session, part, row);
      } else if (rows.day >= days.whole.firstDay) this.isSame = false; // Earlier days have only the events of identities that cross midnight.
    }
    this.missing.set(rows.day, (this.missing.get(rows.day) ?? 0) - takenCount);
  }
}
