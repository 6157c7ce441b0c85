/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are bounded by their columns */
import { cutOf, type Extent } from "../../answer/insights/buckets.js";
import {
  type RequestedSessions, type PageCounts, Visits, type VisitCounting, DURATION_PERCENTS, figuresOf, type SessionSums,
} from "../../answer/visits/visits.js";
import type { SessionFigures } from "../../plan/insights/answers.js";
import type { SessionsOverviewPlan, CalendarPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";
import type { SessionRange } from "../../tables/sessions/stretch-cache.js";
import type { SessionView } from "../../tables/sessions/session-view.js";
import { startOfUnit, unitNumberAt, type DateCut } from "../../../core/calendar/axis.js";
import { percentilesOfLists, type Durations } from "../../answer/numbers.js";
import type { RowContext } from "../form/report.js";
import { byteLengthOf, countActors, countOthers, distinctOf, type DistinctActors } from "../events/distinct-actors.js";
import { projectCodeOf, testOf, visitsOf } from "./visits.js";

/** Sums over some sessions, with what is needed to merge them with other sums. */
interface VisitSums extends SessionSums {
  /** Durations above 0, in ms, ascending. */
  readonly lengths: Durations;
  readonly users: DistinctActors;
  readonly userCount: number;
}

const SUMS_BYTES = 100;

/** Cost: about 20 ns per session. */
export function visitSumsOf({ view, sessions }: Visits<SessionView>): VisitSums {
  const { eventCounts, pageviewCounts, lengths, identities } = view.facts;
  const [longer, own] = [lengths.slice(0, sessions.length), new Uint32Array(sessions.length)];
  let [events, pageviews, bounces, durationMs, longerCount] = [0, 0, 0, 0, 0];
  for (let at = 0; at < sessions.length; at += 1) {
    const session = sessions[at]!;
    const [eventCount, length] = [eventCounts[session]!, lengths[session]!];
    events += eventCount;
    if (eventCount === 1) bounces += 1;
    pageviews += pageviewCounts[session]!;
    own[at] = identities[session]!;
    if (length === 0) continue;
    durationMs += length;
    longer[longerCount] = length;
    longerCount += 1;
  }
  const users = distinctOf(own);
  return { sessions: sessions.length, events, pageviews, bounces, durationMs, lengths: longer.slice(0, longerCount).sort(), users, userCount: countActors([users]) };
}

function byteLengthOfSums({ lengths, users }: VisitSums): number {
  return lengths.byteLength + byteLengthOf(users) + SUMS_BYTES;
}

/** The figures of sessions that are summed in parts. Cost: a word per 32 ids in each part, and searches in the durations. */
export function figuresOfSums(parts: readonly VisitSums[]): SessionFigures {
  const all = { sessions: 0, events: 0, pageviews: 0, bounces: 0, durationMs: 0 };
  let longerCount = 0;
  for (const { sessions, events, pageviews, bounces, durationMs, lengths } of parts) {
    all.sessions += sessions;
    all.events += events;
    all.pageviews += pageviews;
    all.bounces += bounces;
    all.durationMs += durationMs;
    longerCount += lengths.length;
  }
  const percentiles = percentilesOfLists(all.sessions - longerCount, parts.map(({ lengths }) => lengths), DURATION_PERCENTS);
  return figuresOf(all, usersOf(parts), percentiles);
}

function usersOf(parts: readonly VisitSums[]): number {
  const [first, second, ...others] = parts;
  if (first === undefined || second === undefined) return first?.userCount ?? 0;
  // Sessions that are not cached are few compared with those that are.
  if (others.length === 0 && first.users.kind === "bits" && second.users.kind === "list") return first.userCount + countOthers(second.users.actors, first.users);
  return countActors(parts.map(({ users }) => users));
}

/** Number of sessions that start or end at each url: by url code, or by index in `codes`. */
interface UrlCounts {
  /** Null: all codes from 0 on, in order. */
  readonly codes: Uint32Array | null;
  readonly sessions: Uint16Array;
  readonly bounces: Uint16Array;
}

const COUNTS_BYTES = 100;

/** Cost: about 5 ns per session. @param visits fewer than 65,536 @param zeros by url code; zeroed again on return */
function urlCountsOf({ view, sessions }: Visits<SessionView>, end: "entry" | "exit", zeros: PageCounts): UrlCounts {
  const { entryUrls, exitUrls, eventCounts } = view.facts;
  const urls = end === "entry" ? entryUrls : exitUrls;
  const { sessions: counts, bounces } = zeros;
  const found = new Uint32Array(sessions.length);
  let [foundCount, codeEnd] = [0, 0];
  for (let at = 0; at < sessions.length; at += 1) {
    const session = sessions[at]!;
    const url = urls[session]!;
    if (counts[url] === 0) {
      found[foundCount] = url;
      foundCount += 1;
      if (url >= codeEnd) codeEnd = url + 1;
    }
    counts[url]! += 1;
    if (eventCounts[session] === 1) bounces[url]! += 1;
  }
  const codes = found.slice(0, foundCount);
  const made = codeEnd <= codes.length * 2 ? listed(zeros, null, codeEnd) : listed(zeros, codes, codes.length);
  for (let at = 0; at < codes.length; at += 1) counts[codes[at]!] = bounces[codes[at]!] = 0;
  return made;
}

function listed({ sessions, bounces }: PageCounts, codes: Uint32Array | null, length: number): UrlCounts {
  const made = { codes, sessions: new Uint16Array(length), bounces: new Uint16Array(length) };
  for (let at = 0; at < length; at += 1) {
    const code = codes === null ? at : codes[at]!;
    made.sessions[at] = sessions[code]!;
    made.bounces[at] = bounces[code]!;
  }
  return made;
}

function byteLengthOfCounts({ codes, sessions, bounces }: UrlCounts): number {
  return (codes?.byteLength ?? 0) + sessions.byteLength + bounces.byteLength + COUNTS_BYTES;
}

function addUrlCounts(into: PageCounts, { codes, sessions, bounces }: UrlCounts): void {
  for (let at = 0; at < sessions.length; at += 1) {
    const code = codes === null ? at : codes[at]!;
    into.sessions[code]! += sessions[at]!;
    into.bounces[code]! += bounces[at]!;
  }
}

/** Maximum number of sessions that are read synchronously and cached together; a longer day is split. Counts fit in 16 bits. */
const STRETCH_COUNT = 65_535;

interface RequestedStretch extends SessionRange {
  /** Whether it is a whole day, or a full part of a split one: then it is cached. */
  readonly isWhole: boolean;
}

/**
 * All sessions, or those of a project, that start in a range. The sums of a day are cached until one of its sessions is replaced.
 * Sessions that are out of order are read each time.
 */
export class CachedSessions implements RequestedSessions {
  readonly #isRequested: (session: number) => boolean;
  readonly #projectCode: number | null;
  /** In order, covering the whole range. */
  readonly #stretches: readonly SessionRange[];
  readonly #found: Uint32Array;
  readonly #zeros: PageCounts;

  constructor(
    readonly plan: SessionsOverviewPlan,
    readonly view: SessionView,
    readonly context: RowContext,
    readonly counting: VisitCounting,
  ) {
    const { scratch } = counting;
    this.#projectCode = projectCodeOf(plan, context);
    this.#isRequested = testOf(this.#projectCode, null, view);
    this.#stretches = sessionDays(view, plan.range, plan.calendar).flatMap(inTurns);
    this.#found = scratch.take(STRETCH_COUNT);
    const urlEnd = context.dictionaries.named("url").size;
    this.#zeros = { sessions: scratch.takeZeros(urlEnd), bounces: scratch.takeZeros(urlEnd) };
  }

  get extent(): Extent | null {
    const { view: { facts: { starts }, orderedCount }, plan: { range } } = this;
    const others = this.#othersIn(range);
    const [from, to] = [this.view.firstAt(range.fromMs), Math.min(this.view.firstAt(range.toMs), orderedCount)];
    let [first, last] = [from, to - 1];
    while (first < to && !this.#isRequested(first)) first += 1;
    while (last >= first && !this.#isRequested(last)) last -= 1;
    const ends = [...(first < to ? [first, last] : []), ...(others.length > 0 ? [others[0]!, others.at(-1)!] : [])].map((session) => starts[session]!);
    return ends.length === 0 ? null : { firstMs: Math.min(...ends), lastMs: Math.max(...ends) };
  }

  async figuresOf(range: Range): Promise<SessionFigures> {
    const parts: VisitSums[] = [];
    for await (const sums of this.#eachIn(range, "sums", visitSumsOf, byteLengthOfSums)) parts.push(sums);
    return figuresOfSums(parts);
  }

  async pagesAt(end: "entry" | "exit"): Promise<PageCounts> {
    const { scratch } = this.counting;
    const count = this.#zeros.sessions.length;
    const all = { sessions: scratch.takeZeros(count), bounces: scratch.takeZeros(count) };
    const make = (visits: Visits<SessionView>) => urlCountsOf(visits, end, this.#zeros);
    for await (const counts of this.#eachIn<UrlCounts>(this.plan.range, end, make, byteLengthOfCounts)) addUrlCounts(all, counts);
    return all;
  }

  visits(): Promise<Visits<SessionView>> {
    const { plan, view, context, counting: { scratch, pause } } = this;
    return visitsOf(plan, plan.range, null, view, context, scratch, pause);
  }

  /** The results for the sessions that start in a range, stretch by stretch. @param make reads its sessions synchronously */
  async *#eachIn<T>(range: Range, kind: string, make: (visits: Visits<SessionView>) => T, byteLength: (made: T) => number): AsyncGenerator<T> {
    const { view, counting: { pause } } = this;
    const name = `${kind} ${this.#projectCode}`;
    for (const stretch of this.#stretchesIn(range)) {
      const makeOf = () => make(new Visits(view, this.#requestedIn(stretch)));
      yield stretch.isWhole ? view.derive(name, stretch, makeOf, byteLength) : makeOf();
      await pause();
    }
    const others = this.#othersIn(range);
    for (let from = 0; from < others.length; from += STRETCH_COUNT) {
      yield make(new Visits(view, others.subarray(from, from + STRETCH_COUNT)));
      await pause();
    }
  }

  #stretchesIn({ fromMs, toMs }: Range): RequestedStretch[] {
    const [from, to] = [this.view.firstAt(fromMs), this.view.firstAt(toMs)];
    return this.#stretches.flatMap((whole) => {
      const [first, end] = [Math.max(whole.first, from), Math.min(whole.end, to)];
      return first < end ? [{ first, end, isWhole: first === whole.first && end === whole.end }] : [];
    });
  }

  /** Valid until the next call. */
  #requestedIn({ first, end }: SessionRange): Uint32Array {
    const found = this.#found;
    let count = 0;
    for (let session = first; session < end; session += 1) {
      found[count] = session;
      if (this.#isRequested(session)) count += 1;
    }
    return found.subarray(0, count);
  }

  #othersIn({ fromMs, toMs }: Range): Uint32Array {
    const { view } = this;
    return view.others.subarray(view.firstOtherAt(fromMs), view.firstOtherAt(toMs)).filter(this.#isRequested);
  }
}

function inTurns({ first, end }: SessionRange): SessionRange[] {
  const pieces: SessionRange[] = [];
  for (let from = first; from < end; from += STRETCH_COUNT) pieces.push({ first: from, end: Math.min(from + STRETCH_COUNT, end) });
  return pieces;
}

/** The ordered sessions that start in a range, by calendar day: whole days, even where the range cuts them. Cost: the days that have any. */
function sessionDays(view: SessionView, { fromMs, toMs }: Range, calendar: CalendarPlan): SessionRange[] {
  const cut: DateCut = { ...cutOf(calendar, "day"), unit: "day" };
  const end = view.firstAt(toMs);
  const days: SessionRange[] = [];
  for (let at = view.firstAt(fromMs); at < end; at = days.at(-1)!.end) {
    const number = unitNumberAt(cut, view.facts.starts[at]!);
    days.push({ first: days.at(-1)?.end ?? view.firstAt(startOfUnit(cut, number)), end: view.firstAt(startOfUnit(cut, number + 1)) });
  }
  return days;
}
