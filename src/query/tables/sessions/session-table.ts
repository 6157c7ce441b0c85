/* eslint-disable @typescript-eslint/no-non-null-assertion -- parts are bounded by their number */
import { LIMITS } from "../../../core/base/limits.js";
import { MS_PER_DAY } from "../../../core/base/time.js";
import { areSameParts } from "../../../core/base/arrays.js";
import { Yielder } from "../../../core/base/yield.js";
import type { Dictionaries } from "../../../storage/column/dictionaries.js";
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";
import type { Rows } from "../../../storage/segment/rows.js";
import type { Range, SessionRule, SessionRules } from "../../plan/plan.js";
import { BudgetedTable, type MemoryBudget, type TableUse } from "../../../storage/segment/memory-budget.js";
import { Continuations, byteLengthOfCarried, overMidnight, type CarriedPart } from "./carried-events.js";
import { daysFor, includesDays, NO_DAYS, rowsOfDays, widenedDays, StretchCache, type CoveredDays, type DaySpan } from "./stretch-cache.js";
import { EventSource } from "./event-source.js";
import { keyOfRows, SessionPart, type PartKey } from "./session-part.js";
import { EventReader, eachInOrder, readYielding, type PartSource } from "./events-in-order.js";
import { withReplacedSegments } from "./replace-segments.js";
import { LatestSessions } from "./latest-sessions.js";
import { REBUILD, resessionize, type LoadingRows, type Resessionized, type Resessionizing } from "./resessionize.js";
import { changesSince, replacementSince, changedActorsSince, type SegmentReplacement, type SessionSnapshot } from "./session-changes.js";
import { SessionColumns } from "./session-columns.js";
import { SessionView } from "./session-view.js";
import { OpenSessions } from "./open-sessions.js";
import { Sessionizer } from "./sessionizer.js";

/** Number of first events from which the sessions per event are estimated. */
const SAMPLE_COUNT = 64 * 1024;
/** Allows for more sessions per event in the rest. */
const SPARE = 1.1;

/** Reserves room for the sessions of many events, estimated from the first ones: copying full columns costs as much as filling them. */
class RoomAhead {
  #eventCount = 0;
  #countBefore = 0;

  constructor(
    readonly columns: SessionColumns,
    readonly allCount: number,
    readonly spareCount: number,
    readonly yielder: Yielder,
  ) {
    columns.reserve(Math.min(allCount, SAMPLE_COUNT) + spareCount);
  }

  /** Call it before adding events; null when there is room for a session of each. @param areSample whether the other events are like these */
  before(count: number, areSample: boolean): Promise<void> | null {
    const { columns, spareCount } = this;
    if (this.#eventCount === 0) this.#countBefore = columns.count;
    const isFull = columns.count + count + spareCount > columns.capacity;
    const growing = isFull ? columns.reserveYielding(this.#expectedCount(count) + spareCount, this.yielder) : null;
    if (areSample) this.#eventCount += count;
    return growing;
  }

  #expectedCount(count: number): number {
    const needed = this.columns.count + count;
    if (this.#eventCount === 0) return needed;
    const perEvent = (this.columns.count - this.#countBefore) / this.#eventCount;
    return Math.max(needed, this.#countBefore + Math.ceil(perEvent * this.allCount * SPARE));
  }
}

type Followed = Resessionized | { readonly kind: "replacement"; readonly replacement: SegmentReplacement };

/** Spare room: at least this many sessions. */
const SPARE_COUNT_MIN = 1_024;
const BYTES_PER_UNTAKEN = 120;

export function newSessionTable(budget: MemoryBudget, use: TableUse, dictionaries: Dictionaries, { session, pageviewSlugs, revenue }: SessionRules): SessionTable {
  return new SessionTable(budget, use, new EventSource(dictionaries, pageviewSlugs, revenue), session);
}

/** The sessions of all projects on the days requested so far, never cut by a range. New rows and links affect only their identities' sessions. */
export class SessionTable extends BudgetedTable {
  #view: SessionView | null = null;
  #state: Resessionizing | null = null;
  #working: Promise<void> | null = null;
  /** Rows whose columns were loaded to continue from this view: if they are evicted again, everything is rebuilt. */
  readonly #loaded = new Set<Rows>();
  #carried: readonly CarriedPart[] = [];
  #isReleased = false;

  constructor(
    budget: MemoryBudget,
    use: TableUse,
    readonly source: EventSource,
    readonly rule: SessionRule,
  ) {
    super(budget, use);
  }

  /** The sessions of a snapshot that a query for a range reads; null when something is missing. Cost: what changed since the last snapshot. */
  at(moment: SessionSnapshot, range: Range, pending: PendingLoads): SessionView | null {
    const needed = daysFor(range, this.rule);
    const followed = this.#follow(moment, needed);
    if (followed.kind === "view") {
      this.#loaded.clear();
      this.budget.touch(this);
      return followed.view;
    }
    // The work in progress may be for other days, so its failure does not concern this query.
    if (this.#working !== null) pending.add(() => this.#working?.catch(() => undefined) ?? Promise.resolve());
    else pending.add(() => (this.#working ??= this.#work(followed, moment, needed).finally(() => (this.#working = null))));
    return null;
  }

  release(): void {
    this.#isReleased = true;
    this.#loaded.clear();
    this.#view?.cache.release();
    this.budget.remove(this);
  }

  drop(): void {
    this.#view?.cache.release();
    this.#view = null;
    this.#state = null;
    this.#carried = [];
    this.#loaded.clear();
    this.byteLength = 0;
  }

  #work(followed: Exclude<Followed, { readonly kind: "view" }>, moment: SessionSnapshot, needed: DaySpan): Promise<void> {
    if (followed.kind === "replacement") return this.#replaceSegments(followed.replacement, moment);
    if (followed.kind === "latest") return this.#findLatest();
    // Loaded columns may be evicted again, so loading is tried only once.
    return followed.kind === "loading" && !followed.rows.some((rows) => this.#loaded.has(rows)) ? this.#load(followed) : this.#buildAll(moment, needed);
  }

  async #findLatest(): Promise<void> {
    const [view, state] = [this.#view, this.#state];
    if (view === null || state === null) return;
    const latest = await LatestSessions.of(state.columns, view.identityEnd, new Yielder());
    // While it yielded, the budget may have dropped everything.
    if (this.#state !== state || this.#view === null) return;
    this.#state = { ...state, latest };
    this.#keep(this.#view);
  }

  async #load({ rows, loads }: LoadingRows): Promise<void> {
    for (const each of rows) this.#loaded.add(each);
    await Promise.all(loads);
  }

  /** Keeps the same sessions when their rows moved to other segments. */
  async #replaceSegments(replacement: SegmentReplacement, { onRowsRead }: SessionSnapshot): Promise<void> {
    const [view, state] = [this.#view, this.#state];
    if (view !== replacement.view || state === null) return;
    const next = await withReplacedSegments(replacement, state, new EventReader(this.source, new Yielder(), onRowsRead, true));
    // While it yielded, the budget may have dropped everything.
    if (this.#view !== view || this.#state !== state) return;
    if (next === null) {
      this.#state = null;
      return;
    }
    this.#carried = this.#carried.filter(({ rows }) => next.partNumbers.has(keyOfRows(rows)));
    this.#keep(next);
  }

  #follow(requested: SessionSnapshot, needed: DaySpan): Followed {
    const view = this.#view;
    if (view === null || this.#state === null || !includesDays(view.days.whole, needed)) return REBUILD;
    const { identities, sequence, onRowsRead } = requested;
    const moment = { identities, sequence, onRowsRead: onRowsRead, rows: rowsOfDays(requested.rows, { ...view.days.whole, firstDay: view.days.earliestDay }) };
    const moved = changedActorsSince(view, moment);
    if (moved === null) return REBUILD;
    if (moved.size === 0 && view.taken.rows !== null && areSameParts(view.taken.rows, moment.rows)) return { kind: "view", view };
    if (view.count - this.#state.wholeCount > LIMITS.unorderedSessionCount) return REBUILD;
    const replacement = replacementSince(view, moment);
    if (replacement !== null) return { kind: "replacement", replacement };
    const changes = changesSince(view, moment, moved);
    const followed = changes === null ? REBUILD : resessionize(view, changes, moment, this.#state);
    // An abandoned try may leave extra sessions, so everything is rebuilt next.
    if (followed.kind === "anew") this.#state = null;
    else if (followed.kind === "view") this.#keep(followed.view);
    return followed;
  }

  /** Sessionizes all rows of the days that are needed, and of those covered before, yielding. Cost: the rows of these days. */
  async #buildAll(moment: SessionSnapshot, needed: DaySpan): Promise<void> {
    const { rule, source } = this;
    const { identities } = moment;
    const yielder = new Yielder();
    const reader = new EventReader(source, yielder, moment.onRowsRead);
    const whole = widenedDays(this.#view?.days.whole ?? NO_DAYS, needed);
    const { days, carried } = await this.#daysOf(moment, whole, reader);
    const own = [...rowsOfDays(moment.rows, whole)].sort((a, b) => a.day - b.day);
    const rowsOf = [...carried.map(({ rows }) => rows), ...own];
    const parts: SessionPart[] = [];
    for (const rows of rowsOf) {
      parts.push(new SessionPart(rows));
      await yielder.yieldAfter(rows.rowCount);
    }
    const columns = new SessionColumns(rule.maxMs);
    const rowCount = own.reduce((sum, rows) => sum + rows.rowCount, 0);
    // Spare room for later sessions: otherwise the first of them would copy all columns.
    const spareCount = Math.min(LIMITS.unorderedSessionCount + LIMITS.resessionizedCount, SPARE_COUNT_MIN + rowCount);
    // With gaps of a day, most identities have an open session.
    const latest = rule.gapMs < MS_PER_DAY ? null : await LatestSessions.none(source.actorEnd, columns.count, yielder);
    const sessionizer = new Sessionizer(parts, identities, rule, columns, latest ?? new OpenSessions(rule.gapMs));
    const room = new RoomAhead(columns, rowCount, spareCount, yielder);
    await eachInOrder(rowsOf.map((rows, part): PartSource => ({ part, rows, picked: carried[part]?.picked ?? null })), reader, (events, from, to) => {
      // Sessions that cross midnight have more events than others.
      const growing = room.before(to - from, events.part >= carried.length);
      if (growing !== null) return growing.then(() => sessionizer.addAll(events, from, to));
      sessionizer.addAll(events, from, to);
    });
    await readYielding(sessionizer.ties.decide(rowsOf), yielder);
    const numbers = new Map<PartKey, number>(parts.map(({ key }, number) => [key, number]));
    const cache = new StretchCache(this.budget, columns.count);
    const continuations = new Continuations();
    const rows = rowsOfDays(moment.rows, { ...whole, firstDay: days.earliestDay });
    // Only now: while this yields, the budget may drop the table.
    this.#carried = carried;
    this.#state = { rule, source, columns, wholeCount: columns.count, latest, continuations };
    this.#keep(new SessionView(columns.facts(), columns.count, columns.count, new Uint32Array(0), source.actorEnd, rowsOf, parts, numbers, days, { rows, identities, sequence: moment.sequence, untaken: [] }, cache, continuations));
  }

  /** The days to read, with the carried events of earlier ones. */
  async #daysOf(moment: SessionSnapshot, whole: DaySpan, reader: EventReader): Promise<{ days: CoveredDays; carried: readonly CarriedPart[] }> {
    const { firstDay } = whole;
    if (firstDay === -Infinity) return { days: { whole, earliestDay: firstDay, midnight: null }, carried: [] };
    const { parts, midnight, earliestDay } = await overMidnight(firstDay, moment, this.#carried, reader, this.rule.gapMs);
    return { days: { whole, earliestDay, midnight }, carried: parts };
  }

  #keep(view: SessionView): void {
    if (this.#view?.cache !== view.cache) this.#view?.cache.release();
    this.#view = view;
    const { columns, latest, continuations } = this.#state!;
    const carriedByteLength = this.#carried.reduce((sum, part) => sum + byteLengthOfCarried(part), 0);
    const untakenByteLength = view.taken.untaken.length * BYTES_PER_UNTAKEN;
    const byteLength = [columns, latest, continuations, ...view.parts].reduce((sum, held) => sum + (held?.byteLength ?? 0), carriedByteLength + untakenByteLength + (view.days.midnight?.byteLength ?? 0) + view.others.byteLength);
    // The table may have been built for a query that began before the release.
    if (this.#isReleased) view.cache.release();
    else this.setByteLength(byteLength);
  }
}
