/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are bounded by their columns */
import type { IdentityView } from "../../../identity/identity-view.js";
import { byStart, mergedByStart, type LatestSessions } from "./latest-sessions.js";
import type { SessionColumns, SessionFacts } from "./session-columns.js";
import { Sessionizer, type SessionEvent } from "./sessionizer.js";
import { grouped } from "../../../core/base/arrays.js";
import { LIMITS } from "../../../core/base/limits.js";
import { Scratch } from "../../../core/base/scratch.js";
import type { SessionRule } from "../../plan/plan.js";
import { dayStartMs } from "../../../core/base/time.js";
import { codeAt } from "../../../storage/column/column.js";
import { countBefore, firstAtLeast } from "../../../core/base/search.js";
import { TIME_COLUMN } from "../../../core/schema/fields.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { ACTOR_COLUMNS, actorOf } from "../../../storage/segment/summaries.js";
import type { Continuations } from "./carried-events.js";
import { actorAt, type EventSource } from "./event-source.js";
import { SessionPart, NONE, type PartKey } from "./session-part.js";
import { readAtOnce } from "./events-in-order.js";
import type { SessionChanges, SessionSnapshot } from "./session-changes.js";
import { SessionView } from "./session-view.js";
import type { Yielder } from "../../../core/base/yield.js";

/** Epoch ms, both included. */
interface TimeSpan {
  fromMs: number;
  toMs: number;
}

export class AffectedSessions {
  /** Former identities all of whose sessions are rebuilt. */
  readonly #formers = new Set<number>();
  /** The same identities as they are now. */
  readonly #remade = new Set<number>();
  /** By other identity: the time range of its new events. */
  readonly #spans = new Map<number, TimeSpan>();

  constructor(
    readonly former: IdentityView,
    readonly identities: IdentityView,
  ) {}

  /** Adds actors that moved between identities: all sessions of both are rebuilt. Cost: the ids of all these identities. */
  move(moved: Iterable<number>): void {
    const { former, identities } = this;
    const reached = new Set<number>();
    for (const actor of moved) {
      this.#formers.add(former.identityOf(actor));
      reached.add(identities.identityOf(actor));
    }
    for (const left of [...this.#formers]) for (const actor of former.actorsOf(left)) this.#remade.add(identities.identityOf(actor));
    for (const identity of reached) for (const actor of identities.actorsOf(identity)) this.#formers.add(former.identityOf(actor));
  }

  /** Adds new events. Call it after all moves. */
  grow(events: readonly SessionEvent[]): void {
    for (const { identity, ms } of events) {
      if (this.#remade.has(identity)) continue;
      const span = this.#spans.get(identity);
      if (span === undefined) this.#spans.set(identity, { fromMs: ms, toMs: ms });
      else {
        span.fromMs = Math.min(span.fromMs, ms);
        span.toMs = Math.max(span.toMs, ms);
      }
    }
  }

  /** The sessions that may change; null when they have more events than `eventCountMax`. Cost: all sessions of the affected identities. */
  sessions(columns: SessionColumns, latest: LatestSessions, gapMs: number, eventCountMax: number): Set<number> | null {
    const found = new Set<number>();
    let eventCount = 0;
    for (const session of this.#concerned(columns, latest, gapMs)) {
      if (found.has(session)) continue;
      found.add(session);
      eventCount += columns.eventCounts[session]!;
      if (eventCount > eventCountMax) return null;
    }
    return found;
  }

  *#concerned(columns: SessionColumns, latest: LatestSessions, gapMs: number): Generator<number> {
    for (const identity of this.#formers) yield* sessionsOf(identity, columns, latest);
    for (const [identity, span] of this.#spans) yield* within(span, identity, columns, latest, gapMs);
  }
}

/** The live sessions of an identity, in any order. */
function* sessionsOf(identity: number, { replacedBy }: SessionColumns, latest: LatestSessions): Generator<number> {
  for (let session = latest.of(identity); session >= 0; session = latest.before(session)) if (replacedBy[session] === 0) yield session;
}

/** Those within the gap of a span, and those that follow on: the length limit may cut these elsewhere now, though usually it does not. */
function within({ fromMs, toMs }: TimeSpan, identity: number, columns: SessionColumns, latest: LatestSessions, gapMs: number): number[] {
  const { starts, lengths } = columns;
  const endMsOf = (session: number) => starts[session]! + lengths[session]!;
  for (let lastMs = toMs + gapMs; ; ) {
    const near: number[] = [];
    for (const session of sessionsOf(identity, columns, latest)) if (endMsOf(session) + gapMs >= fromMs && starts[session]! <= lastMs) near.push(session);
    const found: number[] = [];
    let reachMs = toMs + gapMs;
    for (const session of near.sort((a, b) => starts[a]! - starts[b]!)) {
      if (starts[session]! > reachMs) break;
      reachMs = Math.max(reachMs, endMsOf(session) + gapMs);
      found.push(session);
    }
    if (reachMs <= lastMs) return found;
    // Twice as far each time: otherwise a long chain would be scanned as often as it has sessions.
    lastMs = reachMs + (reachMs - fromMs);
  }
}

const COLUMNS = [TIME_COLUMN, ...ACTOR_COLUMNS, "slug", "url"];

/** Columns of these rows are not in memory and are being loaded: retry afterwards. */
export interface LoadingRows {
  readonly kind: "loading";
  readonly rows: readonly Rows[];
  readonly loads: readonly Promise<void>[];
}

type RowsFound = { readonly kind: "events"; readonly events: readonly SessionEvent[] } | LoadingRows | { readonly kind: "anew" };

/** Cost: 2 ns for each row of their parts between the start and the end of one of them, and for all rows of heads. @param rowsOf by part */
function rowsOfSessions(view: SessionView, sessions: ReadonlySet<number>, rowsOf: readonly Rows[], identities: IdentityView, isPageview: Uint8Array): RowsFound {
  const spans = joinedSpans(view, sessions);
  const parts = [...view.parts.keys()].filter((part) => spansIn(spans, view.rowsOf[part]!).length > 0);
  const loading = parts.flatMap((part) => {
    const [rows, load] = [rowsOf[part]!, rowsOf[part]!.load(COLUMNS)];
    return load === null ? [] : [{ rows, load }];
  });
  // Callers that wait for the loads report failures; for others they must not be unhandled.
  for (const { load } of loading) load.catch(() => undefined);
  if (loading.length > 0) return { kind: "loading", rows: loading.map(({ rows }) => rows), loads: loading.map(({ load }) => load) };

  const stretches = parts.flatMap((part) => stretchesIn(spansIn(spans, view.rowsOf[part]!), view.rowsOf[part]!).map((stretch) => ({ ...stretch, part })));
  if (stretches.reduce((sum, { from, to }) => sum + to - from, 0) > LIMITS.rowsBesideCount) return { kind: "anew" };
  const events: SessionEvent[] = [];
  const { projects } = view.facts;
  const isConcerned = testOf(view, sessions);
  for (const { part, from, to } of stretches) {
    const rows = rowsOf[part]!;
    const { startMs, sessions: firstOnes } = view.parts[part]!;
    const sessionsOf = view.rowSessions(view.rowsOf[part]!);
    const times = rows.times();
    const [users, anonymous, slugs, urls] = [rows.column("userId"), rows.column("anonymousId"), rows.column("slug"), rows.column("url")];
    for (let row = from; row < to; row += 1) {
      if (!isConcerned(firstOnes[row]!)) continue;
      const session = sessionsOf.of(row);
      if (!sessions.has(session)) continue;
      const identity = identities.identityOf(actorOf(codeAt(users, row), codeAt(anonymous, row)));
      events.push({ identity, project: projects[session]!, part, row, ms: startMs + times[row]!, url: codeAt(urls, row), isPageview: isPageview[codeAt(slugs, row)] === 1 });
    }
  }
  return { kind: "events", events };
}

/** Number of marks that reject most sessions that are not requested. */
const MARK_COUNT = 2 ** 13;

/** Returns a test whether a row, by the session it was first put into, may be in one of some sessions; it rejects most rows with one read. */
function testOf({ facts: { replacedBy } }: SessionView, sessions: ReadonlySet<number>): (first: number) => boolean {
  const marks = new Uint8Array(MARK_COUNT);
  for (const session of sessions) marks[session % MARK_COUNT] = 1;
  // Rows of a replaced session may be in any later one.
  return (first) => first !== NONE && (replacedBy[first] !== 0 || (marks[first % MARK_COUNT] === 1 && sessions.has(first)));
}

/** The times of some sessions, overlapping ones joined: ascending and disjoint. */
function joinedSpans({ facts: { starts, lengths } }: SessionView, sessions: ReadonlySet<number>): TimeSpan[] {
  const all = [...sessions].map((session): TimeSpan => ({ fromMs: starts[session]!, toMs: starts[session]! + lengths[session]! })).sort((a, b) => a.fromMs - b.fromMs);
  const joined: TimeSpan[] = [];
  for (const span of all) {
    const last = joined.at(-1);
    if (last === undefined || span.fromMs > last.toMs) joined.push(span);
    else if (span.toMs > last.toMs) joined[joined.length - 1] = { fromMs: last.fromMs, toMs: span.toMs };
  }
  return joined;
}

function spansIn(spans: readonly TimeSpan[], { day, minMs, maxMs }: Rows): readonly TimeSpan[] {
  const [fromMs, toMs] = [dayStartMs(day) + minMs, dayStartMs(day) + maxMs];
  const first = countBefore(spans.length, (at) => spans[at]!.toMs < fromMs);
  let end = first;
  while (end < spans.length && spans[end]!.fromMs <= toMs) end += 1;
  return spans.slice(first, end);
}

/** The rows within some spans; all rows of a head. Times must be loaded. */
function stretchesIn(spans: readonly TimeSpan[], rows: Rows): { readonly from: number; readonly to: number }[] {
  if (!rows.sealed) return [{ from: 0, to: rows.rowCount }];
  const [times, dayMs] = [rows.times(), dayStartMs(rows.day)];
  return spans.map(({ fromMs, toMs }) => ({ from: firstAtLeast(times, fromMs - dayMs), to: firstAtLeast(times, toMs - dayMs + 1) }));
}

export interface Resessionizing {
  readonly rule: SessionRule;
  readonly source: EventSource;
  readonly columns: SessionColumns;
  /** Number of sessions after the full build. */
  readonly wholeCount: number;
  /** Null until the first change, unless the build needed it. */
  readonly latest: LatestSessions | null;
  readonly continuations: Continuations;
}

export type Resessionized =
  | { readonly kind: "view"; readonly view: SessionView }
  | LoadingRows
  /** The latest sessions of identities must be found first. */
  | { readonly kind: "latest" }
  | { readonly kind: "anew" };

export const REBUILD: Resessionized = { kind: "anew" };

/**
 * Updates the sessions of an earlier view to a snapshot, without yielding: rebuilds the sessions that changes affect, numbered after all others, and
 * extends the latest session of an identity with events that follow all its known ones. Returns `anew` when too many sessions are affected, or one
 * may cross the first midnight.
 * Cost: the sessions of identities that moved or got late events; about 200 ns for each event of the affected sessions, and 2 ns for each other row
 * within their time and for each row of a head.
 */
export function resessionize(view: SessionView, changes: SessionChanges, moment: SessionSnapshot, state: Resessionizing): Resessionized {
  const { columns, rule, latest, source, continuations } = state;
  const { rowsOf, grown, moved } = changes;
  const { midnight } = view.days;
  if (midnight?.isAffectedByChanges(moved, view.taken.identities, moment.identities) === true) return REBUILD;
  const parts = [...view.parts];
  for (const { number, rows } of grown) parts[number] = new SessionPart(rows, parts[number]);
  const untaken = view.taken.untaken.filter(({ actor }) => actor !== 0).map((event): NewerEvent => ({ ...event, identity: moment.identities.identityOf(event.actor) }));
  const newer = [...untaken, ...newerEvents(changes, moment, parts, source)];
  if (newer.some(({ dayMs, ms }) => midnight?.isAffectedBy(dayMs, ms - dayMs) === true)) return REBUILD;
  const { rows, identities, sequence } = moment;
  const numbers = parts.length === view.parts.length ? view.partNumbers : new Map<PartKey, number>(parts.map(({ key }, number) => [key, number]));
  const viewOf = (facts: SessionFacts, count: number, others: Uint32Array, identityEnd: number) =>
    new SessionView(facts, count, view.orderedCount, others, identityEnd, rowsOf, parts, numbers, view.days, { rows, identities, sequence, untaken: [] }, view.cache, continuations);
  if (newer.length + moved.size === 0) return { kind: "view", view: viewOf(view.facts, view.count, view.others, view.identityEnd) };
  if (latest === null) return { kind: "latest" };

  const isAlive = (session: number) => columns.replacedBy[session] === 0;
  const replace = (session: number) => {
    columns.replacedBy[session] = view.count;
    if (session < view.orderedCount) view.cache.replaced(session, view.count);
  };
  const sessionizer = new Sessionizer(parts, moment.identities, rule, columns, latest, { continuations, replace });
  const touched = new AffectedSessions(view.taken.identities, moment.identities);
  touched.move(moved);
  for (const own of grouped(newer, ({ identity }) => identity).values()) if (!own.every((event) => sessionizer.isBehindAll(event))) touched.grow(own);
  const replaced = touched.sessions(columns, latest, rule.gapMs, LIMITS.resessionizedCount);
  if (replaced === null) return REBUILD;
  const found = rowsOfSessions(view, replaced, rowsOf, moment.identities, source.pageviewTable());
  if (found.kind !== "events") return found;
  moment.onRowsRead(newer.length + found.events.length);

  for (const session of replaced) replace(session);
  const events = [...found.events, ...newer].sort((a, b) => a.ms - b.ms || a.part - b.part || a.row - b.row);
  const sessions = new Map(events.map((event) => [event, sessionizer.add(event)]));
  for (const event of newer) parts[event.part]!.sessions[event.row] = sessions.get(event)!;
  for (const [number, own] of grouped(found.events, ({ part }) => part)) {
    if (parts[number] === view.parts[number]) parts[number] = new SessionPart(rowsOf[number]!, parts[number]);
    parts[number]!.forgetRows((session) => isAlive(continuations.newestOf(session, columns.count)));
    parts[number]!.putRows(Uint32Array.from(own, ({ row }) => row), Uint32Array.from(own, (event) => sessions.get(event)!));
  }
  if (!readAtOnce(sessionizer.ties.decide(rowsOf))) return REBUILD;
  const others = mergedByStart(view.others.filter(isAlive), byStart(columns.starts, view.count, columns.count).filter(isAlive), columns.starts);
  return { kind: "view", view: viewOf(columns.facts(), columns.count, others, latest.end) };
}

interface NewerEvent extends SessionEvent {
  /** Epoch ms of the start of its day. */
  readonly dayMs: number;
}

function newerEvents({ grown }: SessionChanges, { identities }: SessionSnapshot, parts: readonly SessionPart[], source: EventSource): NewerEvent[] {
  const events: NewerEvent[] = [];
  for (const { number: part, rows, rowCount } of grown) {
    const dayMs = parts[part]!.startMs;
    Scratch.atOnce((scratch) => {
      const read = source.read(rows.slice(rowCount), scratch);
      for (let at = 0; at < read.times.length; at += 1) {
        const actor = actorAt(read, at);
        if (actor === 0) continue;
        const project = read.projects === null ? read.onlyProject : read.projects[at]!;
        const isPageview = read.isPageview[read.slugs[at]!] === 1;
        events.push({ dayMs, identity: identities.identityOf(actor), project, part, row: rowCount + at, ms: dayMs + read.times[at]!, url: read.urls[at]!, isPageview });
      }
    });
  }
  return events;
}

const VALUES_PER_SESSION = 4;

/** The first events of sessions after rows moved to other parts. Has columns of its own, because older views read the former ones. */
export class MovedFirstEvents {
  readonly parts: Uint32Array<ArrayBuffer>;
  readonly rows: Uint32Array<ArrayBuffer>;
  #missingCount = 0;
  #isInTwo = false;

  private constructor(
    readonly columns: SessionColumns,
    /** Parts from this number on were added. */
    readonly firstAdded: number,
  ) {
    this.parts = new Uint32Array(columns.capacity);
    this.rows = new Uint32Array(columns.capacity);
  }

  /** @param numbers by former number of a part: its current one, or `NONE` if it is gone. Cost: all sessions, yielding */
  static async of(columns: SessionColumns, numbers: Uint32Array, firstAdded: number, yielder: Yielder): Promise<MovedFirstEvents> {
    const moved = new MovedFirstEvents(columns, firstAdded);
    const { firstParts, firstRows, replacedBy } = columns;
    await yielder.inPieces(columns.count, (from, to) => {
      for (let session = from; session < to; session += 1) {
        const part = numbers[firstParts[session]!]!;
        moved.parts[session] = part;
        moved.rows[session] = firstRows[session]!;
        if (part === NONE && replacedBy[session] === 0) moved.#missingCount += 1;
      }
    }, VALUES_PER_SESSION);
    return moved;
  }

  /** Notes an event of an added part at the start of its session. Call it in event order within a part. */
  found(session: number, part: number, row: number): void {
    const known = this.parts[session]!;
    if (known === NONE) {
      this.parts[session] = part;
      this.rows[session] = row;
      this.#missingCount -= 1;
    } else if (known >= this.firstAdded && known !== part) this.#isInTwo = true;
  }

  /** Whether the first event of each session was found, and no ids have to decide between two parts. */
  get areSure(): boolean {
    return this.#missingCount === 0 && !this.#isInTwo;
  }
}
